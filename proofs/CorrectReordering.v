(** * Correct reorderings over the whole event model

    The meaning of a witness, as in docs/event-model.md ("Reorderings"), for every operation of [EventModel.v].  This file is
    the definition.  It contains no program; the checker is proved against it in [WitnessChecker.v].
    - [hard_edge]: forks, joins and barrier rounds;
    - [life], [last_writer], [last_store]: the life and the writer that an access sees;
    - [correct_reordering]: prefixes of threads, interleaved so that the result is well formed, keeps the hard edges, mixes no
      lives, and gives every read, atomic load and rmw its last writer (LW);
    - [predictable_by tr p i j]: after the correct reordering [p], the conflicting accesses [i] and [j] can both be executed.

    [extended_by_one]: a correct reordering is a correct reordering and one more event that may come.
    [neither_hinders_the_other]: the accesses of a predictable pair can be executed in both orders.

    C++ twin: [accepts_witness] of the judges, with [Notion::Lw]. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Reordering EventModel.

(** ** What an access sees

    [w] is a list of event indices, in the order of execution.  The trace up to event [k] is [seq 0 k]. *)

Definition last_such (what : operation -> bool) (tr : trace) (w : list nat) : option nat :=
  fold_left (fun o i =>
    match nth_error tr i with
    | Some e => if what (action e) then Some i else o
    | None => o
    end) w None.

Definition begins_life (x : var) (a : operation) : bool :=
  match a with Alloc y => Pos.eqb y x | _ => false end.
Definition touches (x : var) (a : operation) : bool :=
  match a with Write y | Free y | Alloc y => Pos.eqb y x | _ => false end.
Definition stores (x : atomic) (a : operation) : bool :=
  match a with Store _ y | Rmw _ y => Pos.eqb y x | _ => false end.
Definition is_alloc (a : operation) : bool := match a with Alloc _ => true | _ => false end.

(** The allocation that began the current life; [None]: the first life. *)
Definition life (tr : trace) (w : list nat) (x : var) : option nat := last_such (begins_life x) tr w.

(** The last write or free in the current life. *)
Definition last_writer (tr : trace) (w : list nat) (x : var) : option nat :=
  match last_such (touches x) tr w with
  | Some i =>
      match nth_error tr i with
      | Some e => if is_alloc (action e) then None else Some i
      | None => None
      end
  | None => None
  end.

Definition last_store (tr : trace) (w : list nat) (x : atomic) : option nat := last_such (stores x) tr w.

(** Reads, writes and frees. *)
Definition accessed (a : operation) : option var :=
  match a with Read x | Write x | Free x => Some x | _ => None end.
Definition writes (a : operation) : bool := match a with Write _ | Free _ => true | _ => false end.

(** Event [k], which does [a], after [w]. *)
Definition in_its_life (tr : trace) (w : list nat) (k : nat) (a : operation) : Prop :=
  forall x, accessed a = Some x -> life tr w x = life tr (seq 0 k) x.

Definition sees_its_writer (tr : trace) (w : list nat) (k : nat) (a : operation) : Prop :=
  match a with
  | Read x => last_writer tr w x = last_writer tr (seq 0 k) x
  | Load _ x | Rmw _ x => last_store tr w x = last_store tr (seq 0 k) x
  | _ => True
  end.

(** ** Rounds of a barrier

    The first arrive opens round 0.  The first arrive after some leave of the current round opens the next round.  An arrive
    belongs to the current round, a leave to the round of its thread's latest arrive. *)

Record rounds := Rounds {
  opened : nat;  (* how many; the last one is the current round *)
  closed : bool;  (* a thread has left the current round, or there is none *)
  latest : tid -> option nat  (* the round of a thread's latest arrive *)
}.

Definition is_current (s : rounds) (r : option nat) : bool :=
  match r with Some n => Nat.eqb (S n) (opened s) | None => false end.

Definition arrives_in (s : rounds) : nat := if closed s then opened s else pred (opened s).

Definition round_step (b : barrier) (s : rounds) (e : event) : rounds :=
  match action e with
  | Arrive c =>
      if Pos.eqb c b then
        Rounds (S (arrives_in s)) false (fun t => if Pos.eqb (thread e) t then Some (arrives_in s) else latest s t)
      else s
  | Leave c =>
      if Pos.eqb c b then Rounds (opened s) (closed s || is_current s (latest s (thread e))) (latest s) else s
  | _ => s
  end.

Definition rounds_of (b : barrier) (tr : trace) : rounds := fold_left (round_step b) tr (Rounds 0 true (fun _ => None)).

(** Of an arrive or leave of [b] at [i]. *)
Definition round_at (tr : trace) (b : barrier) (i : nat) (t : tid) : option nat := latest (rounds_of b (firstn (S i) tr)) t.

(** ** Hard edges *)

Inductive hard_edge (tr : trace) : nat -> nat -> Prop :=
| fork_before_child i j e f :
    i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> action e = Fork (thread f) -> hard_edge tr i j
| child_before_join i j e f :
    i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> action f = Join (thread e) -> hard_edge tr i j
| fork_before_join i j e f u :
    i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> action e = Fork u -> action f = Join u ->
    hard_edge tr i j
| arrive_before_leave i j e f b r :
    i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> action e = Arrive b -> action f = Leave b ->
    round_at tr b i (thread e) = Some r -> round_at tr b j (thread f) = Some r -> hard_edge tr i j.

(** ** Correct reorderings *)

Record correct_reordering (tr : trace) (w : list nat) : Prop := {
  keeps_prefixes : respects_threads thread tr w;
  is_well_formed : well_formed (pick tr w);
  keeps_hard_edges : forall i j, In j w -> hard_edge tr i j -> before w i j;
  mixes_no_lives : forall p k q e, w = p ++ k :: q -> nth_error tr k = Some e -> in_its_life tr p k (action e);
  keeps_writers : forall p k q e, w = p ++ k :: q -> nth_error tr k = Some e -> sees_its_writer tr p k (action e)
}.

(** After [w], event [i] is its thread's next, and nothing but its value can be another one. *)
Record may_be_next (tr : trace) (w : list nat) (i : nat) (e : event) : Prop := {
  next_is : nth_error tr i = Some e;
  next_is_new : ~ In i w;
  next_in_thread : forall k f, k < i -> nth_error tr k = Some f -> thread f = thread e -> In k w;
  next_is_legal : legal (pick tr w) e;
  next_has_edges : forall k, hard_edge tr k i -> In k w;
  next_in_life : in_its_life tr w i (action e)
}.

(** Accesses of one variable in one life, by different threads, of which one writes. *)
Definition conflicting (tr : trace) (i j : nat) : Prop :=
  exists e f x, nth_error tr i = Some e /\ nth_error tr j = Some f /\ thread e <> thread f /\
    accessed (action e) = Some x /\ accessed (action f) = Some x /\
    (writes (action e) = true \/ writes (action f) = true) /\
    life tr (seq 0 i) x = life tr (seq 0 j) x.

(** The racing accesses need not keep their last writers. *)
Definition predictable_by (tr : trace) (p : list nat) (i j : nat) : Prop :=
  correct_reordering tr p /\ conflicting tr i j /\
  (exists e, may_be_next tr p i e) /\ (exists f, may_be_next tr p j f).

Definition predictable (tr : trace) (i j : nat) : Prop := exists p, predictable_by tr p i j.

(** ** Facts *)

Lemma last_such_snoc what tr w i e :
  nth_error tr i = Some e ->
  last_such what tr (w ++ [i]) = if what (action e) then Some i else last_such what tr w.
Proof. intro H. unfold last_such. rewrite fold_left_app. simpl. now rewrite H. Qed.

Lemma life_snoc tr w i e x :
  nth_error tr i = Some e -> life tr (w ++ [i]) x = if begins_life x (action e) then Some i else life tr w x.
Proof. apply last_such_snoc. Qed.

Lemma last_store_snoc tr w i e x :
  nth_error tr i = Some e -> last_store tr (w ++ [i]) x = if stores x (action e) then Some i else last_store tr w x.
Proof. apply last_such_snoc. Qed.

Lemma last_writer_snoc tr w i e x :
  nth_error tr i = Some e ->
  last_writer tr (w ++ [i]) x =
  if touches x (action e) then (if is_alloc (action e) then None else Some i) else last_writer tr w x.
Proof.
  intro H. unfold last_writer. rewrite (last_such_snoc _ _ _ _ _ H). destruct (touches x (action e)); [now rewrite H | reflexivity].
Qed.

Lemma rounds_of_snoc b tr e : rounds_of b (tr ++ [e]) = round_step b (rounds_of b tr) e.
Proof. unfold rounds_of. now rewrite fold_left_app. Qed.

Lemma hard_edge_lt tr i j : hard_edge tr i j -> i < j.
Proof. now intros []. Qed.

Lemma hard_edge_valid tr i j : hard_edge tr i j -> i < length tr.
Proof. intros []; eapply nth_lt; eassumption. Qed.

Lemma snoc_is_split {A} (q p r : list A) i k :
  q ++ [i] = p ++ k :: r -> (r = [] /\ p = q /\ k = i) \/ exists r', r = r' ++ [i] /\ q = p ++ k :: r'.
Proof.
  destruct r as [| a r _] using rev_ind; intro E.
  - left. apply app_inj_tail in E as [-> ->]. auto.
  - right. exists r. change (p ++ k :: r ++ [a]) with (p ++ (k :: r) ++ [a]) in E. rewrite app_assoc in E.
    apply app_inj_tail in E as [-> ->]. auto.
Qed.

Lemma before_snoc q i k : NoDup (q ++ [i]) -> before (q ++ [i]) k i -> In k q.
Proof. intros Hn (a & b & E & Ha). now rewrite <- (split_unique i q [] a b Hn E) in Ha. Qed.

Lemma pick_snoc (tr : trace) w i e : nth_error tr i = Some e -> pick tr (w ++ [i]) = pick tr w ++ [e].
Proof. intro H. rewrite pick_app, (pick_cons _ _ _ _ H). reflexivity. Qed.

Lemma correct_nil tr : correct_reordering tr [].
Proof.
  split.
  - split; [constructor | intros i [] | intros i j e f []].
  - apply well_formed_nil.
  - intros i j [].
  - intros [| a p] k q e E; discriminate.
  - intros [| a p] k q e E; discriminate.
Qed.

Theorem extended_by_one tr w i :
  correct_reordering tr (w ++ [i]) <->
  correct_reordering tr w /\ exists e, may_be_next tr w i e /\ sees_its_writer tr w i (action e).
Proof.
  split.
  - intros [Hp Hw Hh Hl Hr]. pose proof Hp as [Hn Hv Ho].
    assert (Hi : i < length tr) by (apply Hv, in_or_app; simpl; auto).
    destruct (nth_error tr i) as [e |] eqn:Ei; [| apply nth_error_None in Ei; lia].
    assert (Hlast : In i (w ++ [i])) by (apply in_or_app; simpl; auto).
    split.
    + split.
      * eapply respects_threads_prefix. eassumption.
      * rewrite pick_app in Hw. eapply well_formed_app. eassumption.
      * intros k j Hj H. eapply before_prefix; [eassumption | assumption |]. apply Hh; [| assumption]. apply in_or_app. auto.
      * intros p k q f -> Hf. apply (Hl p k (q ++ [i]) f); [| assumption]. now rewrite <- app_assoc.
      * intros p k q f -> Hf. apply (Hr p k (q ++ [i]) f); [| assumption]. now rewrite <- app_assoc.
    + exists e. split; [split |].
      * assumption.
      * intro Hin. apply NoDup_remove_2 in Hn. apply Hn. now rewrite app_nil_r.
      * intros k f Hk Hf Ht. apply (before_snoc w i k Hn). eapply Ho; eauto.
      * rewrite (pick_snoc _ _ _ _ Ei) in Hw. apply well_formed_snoc in Hw. tauto.
      * intros k H. apply (before_snoc w i k Hn). auto.
      * apply (Hl w i [] e); auto.
      * apply (Hr w i [] e); auto.
  - intros [[Hp Hw Hh Hl Hr] (e & [Ei Hnew Hpo Hlegal Hhard Hlife] & Hsees)]. pose proof Hp as [Hn Hv Ho]. split.
    + split.
      * now apply nodup_snoc.
      * intros k Hk. apply in_app_or in Hk as [Hk | [<- | []]]; [auto | eapply nth_lt; eassumption].
      * intros k j f g Hj Hk Hf Hg Ht. apply in_app_or in Hj as [Hj | [<- | []]].
        -- apply before_of_prefix. eapply Ho; eauto.
        -- exists w, []. split; [reflexivity |]. apply (Hpo k f); [assumption | assumption | congruence].
    + rewrite (pick_snoc _ _ _ _ Ei). now apply well_formed_snoc.
    + intros k j Hj H. apply in_app_or in Hj as [Hj | [<- | []]]; [apply before_of_prefix; auto |].
      exists w, []. auto.
    + intros p k q f E Hf. apply snoc_is_split in E as [(-> & -> & ->) | (r & -> & ->)]; [| eauto].
      assert (f = e) as -> by congruence. assumption.
    + intros p k q f E Hf. apply snoc_is_split in E as [(-> & -> & ->) | (r & -> & ->)]; [| eauto].
      assert (f = e) as -> by congruence. assumption.
Qed.

(** An access changes neither the locks nor the phases of other threads. *)
Lemma legal_beside_access tr e f x :
  accessed (action e) = Some x -> thread e <> thread f -> accessed (action f) <> None ->
  (legal (tr ++ [e]) f <-> legal tr f).
Proof.
  intros He Hne Hf. unfold legal. rewrite phase_of_snoc. unfold phase_step.
  destruct (Pos.eqb_spec (thread e) (thread f)) as [| _]; [contradiction |].
  destruct (action e); try discriminate; destruct (action f); simpl in *; tauto.
Qed.

Lemma accessed_twice tr w i e x y :
  nth_error tr i = Some e -> accessed (action e) = Some x -> life tr (w ++ [i]) y = life tr w y.
Proof.
  intros Hi He. rewrite (life_snoc _ _ _ _ _ Hi). destruct (action e); try discriminate; reflexivity.
Qed.

Lemma next_beside_access tr p i j e f x :
  may_be_next tr p i e -> may_be_next tr p j f -> thread e <> thread f ->
  accessed (action e) = Some x -> accessed (action f) <> None -> may_be_next tr (p ++ [i]) j f.
Proof.
  intros [Ei _ _ _ _ _] [Ej Hnew Hpo Hlegal Hhard Hlife] Hne He Hf. split.
  - assumption.
  - intro H. apply in_app_or in H as [H | [-> | []]]; [contradiction | congruence].
  - intros k g Hk Hg Ht. apply in_or_app. left. eauto.
  - rewrite (pick_snoc _ _ _ _ Ei). eapply legal_beside_access; eassumption.
  - intros k H. apply in_or_app. auto.
  - intros y Hy. rewrite (accessed_twice _ _ _ _ _ y Ei He). auto.
Qed.

(** The pair can be executed in both orders. *)
Theorem neither_hinders_the_other tr p i j :
  predictable_by tr p i j ->
  (exists f, may_be_next tr (p ++ [i]) j f) /\ (exists e, may_be_next tr (p ++ [j]) i e).
Proof.
  intros (_ & (e & f & x & He & Hf & Hne & Hxe & Hxf & _) & (e' & Hi) & (f' & Hj)).
  pose proof (next_is _ _ _ _ Hi). pose proof (next_is _ _ _ _ Hj).
  assert (e' = e) by congruence. assert (f' = f) by congruence. subst.
  split; eexists; eapply next_beside_access; eauto; congruence.
Qed.
