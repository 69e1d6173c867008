(** * The rows of a trace

    One pass over the trace gives each event a [row]: its number in its thread, the sources of its hard edges, and the writer
    that it saw.  A row depends on the past of its event only, and is computed by a bounded number of lookups.
    - [memory]: the last writers, allocations and stores, as maps; the same program is used for the trace and for a witness;
    - [rows_of]: the rows of a trace; [rows_are_right]: they say what [CorrectReordering.v] defines.

    C++ twin: the constructor of [Checker]. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Reordering EventModel CorrectReordering EventRules.

(** The key of an event in a map. *)
Definition key (i : nat) : positive := Pos.of_succ_nat i.

Lemma key_inj i j : key i = key j -> i = j.
Proof. apply SuccNat2Pos.inj. Qed.

(** ** Memory *)

(** Of a variable: the last writer in its life, and what began its life. *)
Record memory := Memory { cells : PM.t (option nat * option nat); stored : PM.t nat }.

Definition no_memory : memory := Memory (PM.empty _) (PM.empty _).

Definition cell_of (m : memory) (x : var) : option nat * option nat :=
  match PM.find x (cells m) with Some c => c | None => (None, None) end.

(** The event that [a] reads from, and the one that began the life in which it accesses. *)
Definition observe (m : memory) (a : operation) : option nat * option nat :=
  match a with
  | Read x => cell_of m x
  | Write x | Free x => (None, snd (cell_of m x))
  | Load _ x | Rmw _ x => (PM.find x (stored m), None)
  | _ => (None, None)
  end.

(** After event [i], which does [a]. *)
Definition remember (m : memory) (i : nat) (a : operation) : memory :=
  match a with
  | Write x | Free x => Memory (PM.add x (Some i, snd (cell_of m x)) (cells m)) (stored m)
  | Alloc x => Memory (PM.add x (None, Some i) (cells m)) (stored m)
  | Store _ x | Rmw _ x => Memory (cells m) (PM.add x i (stored m))
  | _ => m
  end.

Record remembers (m : memory) (tr : trace) (w : list nat) : Prop := {
  remembers_cells : forall x, cell_of m x = (last_writer tr w x, life tr w x);
  remembers_stores : forall x, PM.find x (stored m) = last_store tr w x
}.

Lemma remembers_nil tr : remembers no_memory tr [].
Proof. split; intro x; unfold cell_of; simpl; now rewrite PM.gempty. Qed.

Lemma cell_of_add m x c y s :
  cell_of (Memory (PM.add x c (cells m)) s) y = if Pos.eqb x y then c else cell_of m y.
Proof.
  unfold cell_of. simpl. destruct (Pos.eqb_spec x y) as [-> | Hne].
  - now rewrite PM.gss.
  - now rewrite PM.gso by congruence.
Qed.

Lemma find_add {A} x (c : A) y m : PM.find y (PM.add x c m) = if Pos.eqb x y then Some c else PM.find y m.
Proof.
  destruct (Pos.eqb_spec x y) as [-> | Hne]; [now rewrite PM.gss | now rewrite PM.gso by congruence].
Qed.

Lemma remember_snoc m tr w i e :
  remembers m tr w -> nth_error tr i = Some e -> remembers (remember m i (action e)) tr (w ++ [i]).
Proof.
  intros [Hc Hs] He. split; intro y.
  - rewrite (last_writer_snoc _ _ _ _ _ He), (life_snoc _ _ _ _ _ He).
    destruct (action e) as [x | x | x | x | | | | | | | | | o x | o x | o x | | | | |]; simpl;
      rewrite ?cell_of_add, ?Hc; try reflexivity; try (unfold cell_of; simpl; apply Hc);
      destruct (Pos.eqb_spec x y) as [-> |]; reflexivity.
  - rewrite (last_store_snoc _ _ _ _ _ He).
    destruct (action e) as [x | x | x | x | | | | | | | | | o x | o x | o x | | | | |]; simpl; try apply Hs;
      rewrite find_add; destruct (Pos.eqb_spec x y); (reflexivity || apply Hs).
Qed.

(** The writer that [a] sees after [w], by definition. *)
Definition sees (tr : trace) (w : list nat) (a : operation) : option nat * option nat :=
  match a with
  | Read x => (last_writer tr w x, life tr w x)
  | Write x | Free x => (None, life tr w x)
  | Load _ x | Rmw _ x => (last_store tr w x, None)
  | _ => (None, None)
  end.

Lemma observe_is_right m tr w a : remembers m tr w -> observe m a = sees tr w a.
Proof. intros [Hc Hs]. destruct a; simpl; rewrite ?Hc, ?Hs; reflexivity. Qed.

(** ** Numbers of events in their threads *)

Definition count_of (t : tid) (tr : trace) : nat := length (of_thread thread t tr).

(** How many events of [t] come before event [i]. *)
Definition position (tr : trace) (i : nat) (t : tid) : nat := count_of t (firstn i tr).

Lemma count_of_snoc t tr e : count_of t (tr ++ [e]) = (if Pos.eqb (thread e) t then 1 else 0) + count_of t tr.
Proof.
  unfold count_of. rewrite of_thread_app, app_length. unfold of_thread at 2. simpl.
  destruct (Pos.eqb (thread e) t); simpl; lia.
Qed.

Lemma position_snoc tr e i t : i <= length tr -> position (tr ++ [e]) i t = position tr i t.
Proof. intro H. unfold position. now rewrite firstn_snoc_le. Qed.

Lemma position_S tr i e t :
  nth_error tr i = Some e -> position tr (S i) t = (if Pos.eqb (thread e) t then 1 else 0) + position tr i t.
Proof. intro H. unfold position. now rewrite (firstn_S _ _ _ H), count_of_snoc. Qed.

Lemma position_mono tr i j t : i <= j -> position tr i t <= position tr j t.
Proof.
  induction 1 as [| j Hle IH]; [lia |]. destruct (nth_error tr j) as [e |] eqn:E.
  - rewrite (position_S _ _ _ _ E). lia.
  - apply nth_error_None in E. unfold position.
    replace (firstn (S j) tr) with (firstn j tr) by (rewrite !firstn_all2 by lia; reflexivity). assumption.
Qed.

Lemma position_lt tr i j e t :
  i < j -> nth_error tr i = Some e -> thread e = t -> position tr i t < position tr j t.
Proof.
  intros H He Ht. pose proof (position_S tr i e t He) as HS. rewrite (proj2 (Pos.eqb_eq _ _) Ht) in HS.
  pose proof (position_mono tr (S i) j t H). lia.
Qed.

Lemma position_inj tr i j e f t :
  nth_error tr i = Some e -> nth_error tr j = Some f -> thread e = t -> thread f = t ->
  position tr i t = position tr j t -> i = j.
Proof.
  intros He Hf Het Hft H. destruct (lt_eq_lt_dec i j) as [[Hlt | ->] | Hlt]; [exfalso | reflexivity | exfalso].
  - pose proof (position_lt tr i j e t Hlt He Het). lia.
  - pose proof (position_lt tr j i f t Hlt Hf Hft). lia.
Qed.

(** Every number below is that of an event. *)
Lemma event_at_position tr k t n :
  n < position tr k t -> exists i e, i < k /\ nth_error tr i = Some e /\ thread e = t /\ position tr i t = n.
Proof.
  induction k as [| k IH]; intro H; [unfold position, count_of in H; simpl in H; lia |].
  destruct (nth_error tr k) as [e |] eqn:E.
  - rewrite (position_S _ _ _ _ E) in H. destruct (Pos.eqb_spec (thread e) t) as [Ht | _].
    + destruct (Nat.eq_dec n (position tr k t)) as [-> | Hne].
      * exists k, e. auto.
      * destruct IH as (i & f & Hi & Hrest); [lia |]. exists i, f. split; [lia | assumption].
    + destruct IH as (i & f & Hi & Hrest); [lia |]. exists i, f. split; [lia | assumption].
  - apply nth_error_None in E. unfold position in H.
    replace (firstn (S k) tr) with (firstn k tr) in H by (rewrite !firstn_all2 by lia; reflexivity).
    destruct (IH H) as (i & f & Hi & Hrest). exists i, f. split; [lia | assumption].
Qed.

(** ** Rows *)

(** A thread, and the number of one of its events. *)
Definition place := (tid * nat)%type.

Record row := Row {
  row_event : event;
  row_position : nat;
  row_needs : list place;  (* hard edges come from these, and transitively from their sources *)
  row_sees : option nat * option nat
}.

Record barrier_rows := BarrierRows {
  rows_opened : nat;
  rows_closed : bool;
  rows_latest : PM.t nat;  (* per thread *)
  rows_arrivals : PM.t (list place)  (* per round *)
}.

Definition no_arrivals : barrier_rows := BarrierRows 0 true (PM.empty _) (PM.empty _).

Record survey := Survey {
  size : nat;
  rows : PM.t row;
  counts : PM.t nat;  (* per thread *)
  forks : PM.t (list place);  (* of each thread *)
  barriers : PM.t barrier_rows;
  seen_memory : memory
}.

Definition no_survey : survey :=
  Survey 0 (PM.empty _) (PM.empty _) (PM.empty _) (PM.empty _) no_memory.

Definition list_in (k : positive) (m : PM.t (list place)) : list place :=
  match PM.find k m with Some l => l | None => [] end.

Definition barrier_in (s : survey) (b : barrier) : barrier_rows :=
  match PM.find b (barriers s) with Some r => r | None => no_arrivals end.

Definition arrivals_of (r : barrier_rows) (t : tid) : list place :=
  match PM.find t (rows_latest r) with Some n => list_in (key n) (rows_arrivals r) | None => [] end.

Definition needs_of (s : survey) (e : event) : list place :=
  list_in (thread e) (forks s) ++
  match action e with
  | Join u =>
      list_in u (forks s) ++ match count_in u (counts s) with 0 => [] | S n => [(u, n)] end
  | Leave b => arrivals_of (barrier_in s b) (thread e)
  | _ => []
  end.

Definition arrive (r : barrier_rows) (p : place) : barrier_rows :=
  let n := if rows_closed r then rows_opened r else pred (rows_opened r) in
  BarrierRows (S n) false (PM.add (fst p) n (rows_latest r))
    (PM.add (key n) (p :: list_in (key n) (rows_arrivals r)) (rows_arrivals r)).

Definition leave (r : barrier_rows) (t : tid) : barrier_rows :=
  let current := match PM.find t (rows_latest r) with Some n => Nat.eqb (S n) (rows_opened r) | None => false end in
  BarrierRows (rows_opened r) (rows_closed r || current) (rows_latest r) (rows_arrivals r).

Definition survey_event (s : survey) (e : event) : survey :=
  let t := thread e in
  let n := count_in t (counts s) in
  Survey (S (size s))
    (PM.add (key (size s)) (Row e n (needs_of s e) (observe (seen_memory s) (action e))) (rows s))
    (PM.add t (S n) (counts s))
    (match action e with
     | Fork u => PM.add u ((t, n) :: list_in u (forks s)) (forks s)
     | _ => forks s
     end)
    (match action e with
     | Arrive b => PM.add b (arrive (barrier_in s b) (t, n)) (barriers s)
     | Leave b => PM.add b (leave (barrier_in s b) t) (barriers s)
     | _ => barriers s
     end)
    (remember (seen_memory s) (size s) (action e)).

Definition survey_of (tr : trace) : survey := fold_left survey_event tr no_survey.

Definition rows_of (tr : trace) : PM.t row := rows (survey_of tr).

Lemma survey_of_snoc tr e : survey_of (tr ++ [e]) = survey_event (survey_of tr) e.
Proof. unfold survey_of. now rewrite fold_left_app. Qed.

(** ** The invariant of the survey *)

(** [p] is the place of event [i]. *)
Definition is_place (tr : trace) (i : nat) (p : place) : Prop :=
  exists e, nth_error tr i = Some e /\ thread e = fst p /\ position tr i (fst p) = snd p.

Record surveys_barrier (r : barrier_rows) (tr : trace) (b : barrier) : Prop := {
  surveys_opened : rows_opened r = opened (rounds_of b tr);
  surveys_closed : rows_closed r = closed (rounds_of b tr);
  surveys_latest : forall t, PM.find t (rows_latest r) = latest (rounds_of b tr) t;
  surveys_arrivals : forall n p, In p (list_in (key n) (rows_arrivals r)) <->
    exists i e, is_place tr i p /\ nth_error tr i = Some e /\ action e = Arrive b /\ round_at tr b i (thread e) = Some n
}.

Record surveys (s : survey) (tr : trace) : Prop := {
  surveys_size : size s = length tr;
  surveys_counts : forall t, count_in t (counts s) = count_of t tr;
  surveys_forks : forall u p, In p (list_in u (forks s)) <->
    exists i e, is_place tr i p /\ nth_error tr i = Some e /\ action e = Fork u;
  surveys_barriers : forall b, surveys_barrier (barrier_in s b) tr b;
  surveys_memory : remembers (seen_memory s) tr (seq 0 (length tr))
}.

Lemma is_place_snoc tr e i p :
  is_place (tr ++ [e]) i p <-> is_place tr i p \/ (i = length tr /\ p = (thread e, count_of (thread e) tr)).
Proof.
  unfold is_place. split.
  - intros (f & Hf & Ht & Hp). apply nth_snoc in Hf as [[Hlt Hf] | [-> ->]].
    + left. exists f. rewrite position_snoc in Hp by lia. auto.
    + right. split; [reflexivity |]. unfold position in Hp. rewrite firstn_snoc_le, firstn_all in Hp by lia.
      destruct p as [t n]. simpl in *. subst. reflexivity.
  - intros [(f & Hf & Ht & Hp) | [-> ->]].
    + exists f. pose proof (nth_lt _ _ _ Hf). rewrite position_snoc by lia. split; [apply nth_snoc; auto | auto].
    + exists e. split; [apply nth_snoc; auto | split; [reflexivity |]]. simpl. unfold position.
      now rewrite firstn_snoc_le, firstn_all by lia.
Qed.

Lemma round_at_snoc tr e b i t : i < length tr -> round_at (tr ++ [e]) b i t = round_at tr b i t.
Proof. intro H. unfold round_at. now rewrite firstn_snoc_le by lia. Qed.

Lemma round_at_last tr e b t : round_at (tr ++ [e]) b (length tr) t = latest (round_step b (rounds_of b tr) e) t.
Proof.
  unfold round_at. rewrite (firstn_S (tr ++ [e]) (length tr) e) by (apply nth_snoc; auto).
  now rewrite firstn_snoc_le, firstn_all, rounds_of_snoc by lia.
Qed.

Lemma list_in_add k l m j : list_in j (PM.add k l m) = if Pos.eqb k j then l else list_in j m.
Proof. unfold list_in. rewrite find_add. destruct (Pos.eqb k j); reflexivity. Qed.

Lemma surveys_nil : surveys no_survey [].
Proof.
  split; simpl; try reflexivity.
  - intro t. unfold count_in. now rewrite PM.gempty.
  - intros u p. unfold list_in. rewrite PM.gempty. split; [intros [] | intros (i & e & _ & H & _); destruct i; discriminate].
  - intro b. unfold barrier_in. simpl. rewrite PM.gempty. split; simpl; try reflexivity.
    + intro t. apply PM.gempty.
    + intros n p. unfold list_in. rewrite PM.gempty.
      split; [intros [] | intros (i & e & _ & H & _); destruct i; discriminate].
  - apply remembers_nil.
Qed.

(** Events that are neither arrives nor leaves of [b] change nothing of its rounds. *)
Lemma surveys_barrier_other r tr e b :
  surveys_barrier r tr b -> action e <> Arrive b -> action e <> Leave b -> surveys_barrier r (tr ++ [e]) b.
Proof.
  intros [Ho Hc Hl Ha] Hna Hnl.
  assert (Hs : rounds_of b (tr ++ [e]) = rounds_of b tr).
  { rewrite rounds_of_snoc. unfold round_step. destruct (action e); try reflexivity;
      destruct (Pos.eqb_spec b0 b); congruence. }
  split; rewrite ?Hs; try assumption. intros n p. rewrite Ha. split.
  - intros (i & f & Hp & Hf & Haf & Hr). exists i, f. pose proof (nth_lt _ _ _ Hf).
    rewrite is_place_snoc, nth_snoc, round_at_snoc by lia. auto.
  - intros (i & f & Hp & Hf & Haf & Hr). apply nth_snoc in Hf as [[Hlt Hf] | [-> ->]]; [| contradiction].
    rewrite round_at_snoc in Hr by lia. rewrite is_place_snoc in Hp. destruct Hp as [Hp | [-> _]]; [| lia].
    exists i, f. auto.
Qed.

Lemma surveys_barrier_arrive r tr e b :
  surveys_barrier r tr b -> action e = Arrive b ->
  surveys_barrier (arrive r (thread e, count_of (thread e) tr)) (tr ++ [e]) b.
Proof.
  intros [Ho Hc Hl Ha] Hact.
  assert (Hs : rounds_of b (tr ++ [e]) =
    Rounds (S (arrives_in (rounds_of b tr))) false
      (fun t => if Pos.eqb (thread e) t then Some (arrives_in (rounds_of b tr)) else latest (rounds_of b tr) t)).
  { rewrite rounds_of_snoc. unfold round_step. rewrite Hact, Pos.eqb_refl. reflexivity. }
  assert (Hn : (if rows_closed r then rows_opened r else pred (rows_opened r)) = arrives_in (rounds_of b tr))
    by (unfold arrives_in; now rewrite Hc, Ho).
  unfold arrive. cbv zeta. rewrite Hn. split; rewrite ?Hs; simpl; try reflexivity.
  - intro t. rewrite find_add, Hl. reflexivity.
  - intros n p. rewrite list_in_add.
    assert (Hlast : round_at (tr ++ [e]) b (length tr) (thread e) = Some (arrives_in (rounds_of b tr))).
    { rewrite round_at_last, <- rounds_of_snoc, Hs. simpl. now rewrite Pos.eqb_refl. }
    assert (Hold : (exists i f, is_place (tr ++ [e]) i p /\ nth_error (tr ++ [e]) i = Some f /\ action f = Arrive b /\
                     round_at (tr ++ [e]) b i (thread f) = Some n) <->
                   In p (list_in (key n) (rows_arrivals r)) \/
                   (p = (thread e, count_of (thread e) tr) /\ n = arrives_in (rounds_of b tr))).
    { rewrite Ha. split.
      - intros (i & f & Hp & Hf & Haf & Hr). apply nth_snoc in Hf as [[Hlt Hf] | [-> ->]].
        + left. exists i, f. rewrite round_at_snoc in Hr by lia. rewrite is_place_snoc in Hp.
          destruct Hp as [Hp | [-> _]]; [auto | lia].
        + right. rewrite Hlast in Hr. rewrite is_place_snoc in Hp. destruct Hp as [(g & Hg & _) | [_ ->]].
          * apply nth_lt in Hg. lia.
          * split; [reflexivity | congruence].
      - intros [(i & f & Hp & Hf & Haf & Hr) | [-> ->]].
        + pose proof (nth_lt _ _ _ Hf). exists i, f. rewrite is_place_snoc, nth_snoc, round_at_snoc by lia. auto.
        + exists (length tr), e. rewrite is_place_snoc, nth_snoc. auto. }
    rewrite Hold. destruct (Pos.eqb_spec (key (arrives_in (rounds_of b tr))) (key n)) as [E | E].
    + apply key_inj in E as <-. simpl. intuition congruence.
    + intuition congruence.
Qed.

Lemma surveys_barrier_leave r tr e b :
  surveys_barrier r tr b -> action e = Leave b -> surveys_barrier (leave r (thread e)) (tr ++ [e]) b.
Proof.
  intros [Ho Hc Hl Ha] Hact.
  assert (Hs : rounds_of b (tr ++ [e]) =
    let s := rounds_of b tr in Rounds (opened s) (closed s || is_current s (latest s (thread e))) (latest s)).
  { rewrite rounds_of_snoc. unfold round_step. rewrite Hact, Pos.eqb_refl. reflexivity. }
  cbv zeta in Hs. split; rewrite ?Hs; simpl; try assumption.
  - rewrite Hl, Hc, Ho. reflexivity.
  - intros n p. rewrite Ha. split.
    + intros (i & f & Hp & Hf & Haf & Hr). exists i, f. pose proof (nth_lt _ _ _ Hf).
      rewrite is_place_snoc, nth_snoc, round_at_snoc by lia. auto.
    + intros (i & f & Hp & Hf & Haf & Hr). apply nth_snoc in Hf as [[Hlt Hf] | [-> ->]]; [| congruence].
      rewrite round_at_snoc in Hr by lia. rewrite is_place_snoc in Hp. destruct Hp as [Hp | [-> _]]; [| lia].
      exists i, f. auto.
Qed.

Lemma last_such_in what tr w i : last_such what tr w = Some i -> In i w.
Proof.
  induction w as [| k w IH] using rev_ind; [discriminate |]. unfold last_such in *. rewrite fold_left_app. simpl.
  intro H. apply in_or_app. destruct (nth_error tr k) as [f |]; [| auto].
  destruct (what (action f)); [injection H as ->; simpl; auto | auto].
Qed.

Lemma last_such_longer what tr e w :
  (forall i, In i w -> i < length tr) -> last_such what (tr ++ [e]) w = last_such what tr w.
Proof.
  induction w as [| k w IH] using rev_ind; intro Hv; [reflexivity |]. unfold last_such in *. rewrite !fold_left_app. simpl.
  rewrite nth_error_app1 by (apply Hv, in_or_app; simpl; auto). rewrite IH; [reflexivity |].
  intros i Hi. apply Hv, in_or_app. auto.
Qed.

Lemma survey_is_right tr : surveys (survey_of tr) tr.
Proof.
  induction tr as [| e tr IH] using rev_ind; [apply surveys_nil |]. rewrite survey_of_snoc.
  destruct IH as [Hsize Hcounts Hforks Hbars Hmem]. split.
  - simpl. rewrite app_length. simpl. lia.
  - intro t. simpl. rewrite count_in_add, count_of_snoc, !Hcounts.
    destruct (Pos.eqb_spec (thread e) t) as [-> |]; reflexivity.
  - intros u p.
    assert (Hold : (exists i f, is_place (tr ++ [e]) i p /\ nth_error (tr ++ [e]) i = Some f /\ action f = Fork u) <->
                   In p (list_in u (forks (survey_of tr))) \/
                   (p = (thread e, count_of (thread e) tr) /\ action e = Fork u)).
    { rewrite Hforks. split.
      - intros (i & f & Hp & Hf & Haf). apply nth_snoc in Hf as [[Hlt Hf] | [-> ->]]; rewrite is_place_snoc in Hp.
        + left. exists i, f. destruct Hp as [Hp | [-> _]]; [auto | lia].
        + right. destruct Hp as [(g & Hg & _) | [_ ->]]; [apply nth_lt in Hg; lia | auto].
      - intros [(i & f & Hp & Hf & Haf) | [-> Haf]].
        + pose proof (nth_lt _ _ _ Hf). exists i, f. rewrite is_place_snoc, nth_snoc. auto.
        + exists (length tr), e. rewrite is_place_snoc, nth_snoc. auto. }
    rewrite Hold. simpl. rewrite Hcounts. destruct (action e) eqn:Ea; try (intuition discriminate).
    rewrite list_in_add. destruct (Pos.eqb_spec u0 u) as [-> | Hne]; simpl; intuition congruence.
  - intro b. unfold barrier_in. simpl. rewrite Hcounts.
    assert (Hother : action e <> Arrive b -> action e <> Leave b -> surveys_barrier (barrier_in (survey_of tr) b) (tr ++ [e]) b)
      by (intros; now apply surveys_barrier_other).
    destruct (action e) eqn:Ea; try (apply Hother; discriminate); rewrite find_add;
      destruct (Pos.eqb_spec b0 b) as [-> | Hne]; try (apply Hother; congruence).
    + now apply surveys_barrier_arrive.
    + now apply surveys_barrier_leave.
  - simpl. rewrite app_length, Hsize. simpl. rewrite Nat.add_1_r, seq_S. simpl.
    assert (Hm : remembers (seen_memory (survey_of tr)) (tr ++ [e]) (seq 0 (length tr))).
    { assert (Hv : forall i, In i (seq 0 (length tr)) -> i < length tr) by (intros i Hi; apply in_seq in Hi; lia).
      destruct Hmem as [Hc Hst]. split; intro x; unfold life, last_writer, last_store in *;
        rewrite ?last_such_longer by assumption; [rewrite Hc | auto]. f_equal.
      destruct (last_such (touches x) tr (seq 0 (length tr))) as [i |] eqn:E; [| reflexivity].
      apply last_such_in, Hv in E. now rewrite nth_error_app1 by assumption. }
    apply remember_snoc; [assumption |]. apply nth_snoc. auto.
Qed.

(** The row of event [i]. *)
Definition row_at (tr : trace) (i : nat) (e : event) : row :=
  Row e (position tr i (thread e)) (needs_of (survey_of (firstn i tr)) e)
      (observe (seen_memory (survey_of (firstn i tr))) (action e)).

Theorem rows_are_right tr i : PM.find (key i) (rows_of tr) = option_map (row_at tr i) (nth_error tr i).
Proof.
  unfold rows_of. revert i. induction tr as [| e tr IH] using rev_ind; intro i.
  - simpl. rewrite PM.gempty. destruct i; reflexivity.
  - rewrite survey_of_snoc. simpl. rewrite (surveys_size _ _ (survey_is_right tr)), find_add.
    destruct (Pos.eqb_spec (key (length tr)) (key i)) as [E | E].
    + apply key_inj in E as <-. rewrite nth_error_app2, Nat.sub_diag by lia. simpl. unfold row_at, position.
      rewrite firstn_snoc_le, firstn_all by lia. now rewrite (surveys_counts _ _ (survey_is_right tr)).
    + rewrite IH. destruct (lt_eq_lt_dec i (length tr)) as [[Hlt | ->] | Hgt]; [| congruence |].
      * rewrite nth_error_app1 by assumption. destruct (nth_error tr i) as [f |]; [simpl | reflexivity].
        unfold row_at, position. now rewrite firstn_snoc_le by lia.
      * rewrite (proj2 (nth_error_None tr i)), (proj2 (nth_error_None (tr ++ [e]) i)); [reflexivity | |]; rewrite ?app_length; simpl; lia.
Qed.
