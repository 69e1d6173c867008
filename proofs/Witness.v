(** * The witness checker

    Two programs that check a witness: a list of event indices, the racing pair last.
    - [check_lw]: every executed read but a racing one has its original last writer.
    - [check_ca]: every pair of conflicting accesses keeps its order.
    - [check_lw_is_right], [check_ca_is_right]: for a well-formed trace, they accept exactly the witnesses of the definitions.
    - [accepted_witness_shows_a_race]: whatever program produced the trace, it has an execution after which both accesses
      of an accepted pair can be performed.
    - [accepted_ca_witness_is_a_dc_race], [accepted_ca_witness_shows_a_race]: the meaning of a CA witness.

    C++ twin: [Checker::accepts] for [check_lw]; [accepts_witness] of the judges for both. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore Reordering DoesntCommute Program Judge.

(** ** Checking each event against the events executed before it *)

Fixpoint at_each (f : list nat -> nat -> bool) (done w : list nat) : bool :=
  match w with
  | [] => true
  | k :: rest => f done k && at_each f (done ++ [k]) rest
  end.

Lemma at_each_spec f done w :
  at_each f done w = true <-> forall q k r, w = q ++ k :: r -> f (done ++ q) k = true.
Proof.
  revert done. induction w as [| a w IH]; intro done; simpl.
  - split; [intros _ [| b q] k r E; discriminate | reflexivity].
  - rewrite andb_true_iff, IH. split.
    + intros [Ha Hw] [| b q] k r E; injection E as -> ->; [now rewrite app_nil_r |].
      specialize (Hw q k r eq_refl). rewrite <- app_assoc in Hw. exact Hw.
    + intro H. split; [specialize (H [] a w eq_refl); now rewrite app_nil_r in H |].
      intros q k r ->. specialize (H (a :: q) k r eq_refl). now rewrite <- app_assoc.
Qed.

Definition mem (i : nat) (l : list nat) : bool := existsb (Nat.eqb i) l.

Lemma mem_spec i l : mem i l = true <-> In i l.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros (x & Hx & E). apply Nat.eqb_eq in E. congruence.
  - intro H. exists i. split; [assumption | apply Nat.eqb_refl].
Qed.

Lemma nodup_spec (w : list nat) : NoDup w <-> forall q k r, w = q ++ k :: r -> ~ In k q.
Proof.
  split.
  - intros Hn q k r -> H. apply NoDup_remove_2 in Hn. apply Hn, in_or_app. auto.
  - induction w as [| k w IH] using rev_ind; intro H; [constructor |].
    apply nodup_snoc; [| apply (H w k []); reflexivity]. apply IH. intros q a r ->. apply (H q a (r ++ [k])).
    rewrite <- app_assoc. reflexivity.
Qed.

(** ** Thread order *)

(** Program order, fork before child, child before join, fork before join. *)
Definition direct (tr : trace) (i j : nat) : bool :=
  match nth_error tr i, nth_error tr j with
  | Some e, Some f =>
      (Nat.ltb i j && Pos.eqb (thread e) (thread f)) ||
      match action e with
      | Fork u => Pos.eqb u (thread f) || match action f with Join v => Pos.eqb u v | _ => false end
      | _ => false
      end ||
      match action f with
      | Join u => Pos.eqb (thread e) u
      | _ => false
      end
  | _, _ => false
  end.

Lemma direct_is_thread_order tr i j : well_formed tr -> direct tr i j = true -> thread_order tr i j.
Proof.
  intros Hw H. unfold direct in H. destruct (nth_error tr i) as [e |] eqn:He; [| discriminate].
  destruct (nth_error tr j) as [f |] eqn:Hf; [| discriminate]. rewrite !orb_true_iff in H.
  destruct H as [[H | H] | H].
  - apply andb_true_iff in H as [Hlt Ht]. apply Nat.ltb_lt in Hlt. apply Pos.eqb_eq in Ht.
    eapply to_program; eassumption.
  - destruct (action e) as [| | | | u | | |] eqn:Ha; try discriminate. apply orb_true_iff in H as [H | H].
    + apply Pos.eqb_eq in H as ->. eapply fork_is_before_child; eassumption.
    + destruct (action f) as [| | | | | v | |] eqn:Hb; try discriminate. apply Pos.eqb_eq in H as ->.
      eapply fork_is_before_join; try eassumption.
      destruct (lt_eq_lt_dec i j) as [[| ->] | Hlt]; [assumption | congruence | exfalso].
      pose proof (Hw _ _ He) as [_ Hl]. rewrite Ha in Hl. destruct Hl as (_ & _ & _ & Hj). apply Hj.
      exists f. split; [| assumption]. eapply nth_error_In. eapply nth_firstn; eassumption.
  - destruct (action f) as [| | | | | v | |] eqn:Hb; try discriminate. apply Pos.eqb_eq in H as <-.
    eapply child_is_before_join; eassumption.
Qed.

(** If what is directly before an executed event is executed before it, then so is what is TO-before it. *)
Lemma direct_is_enough tr w :
  NoDup w -> (forall i j, In j w -> direct tr i j = true -> before w i j) ->
  forall i j, thread_order tr i j -> In j w -> before w i j.
Proof.
  intros Hn H. induction 1 as
    [i j e f Hlt Hi Hj Ht | i j e u Hi Ha [(f & Hj & Ht) _] | i j f u [(e & Hi & Ht) _] Hj Ha
    | i j e f u Hlt Hi He Hj Hf _ | i j k _ IH1 _ IH2]; intro Hin.
  - apply H; [assumption |]. unfold direct. rewrite Hi, Hj, Ht, Pos.eqb_refl.
    apply Nat.ltb_lt in Hlt. rewrite Hlt. reflexivity.
  - apply H; [assumption |]. unfold direct. rewrite Hi, Hj, Ha, <- Ht, Pos.eqb_refl. simpl. now rewrite orb_true_r.
  - apply H; [assumption |]. unfold direct. rewrite Hi, Hj, Ha, <- Ht, Pos.eqb_refl. apply orb_true_r.
  - apply H; [assumption |]. unfold direct. rewrite Hi, Hj, He, Hf, Pos.eqb_refl, !orb_true_r. reflexivity.
  - specialize (IH2 Hin). eapply before_trans; [assumption | apply IH1; eapply before_in_l; eassumption | assumption].
Qed.

(** The relation [R] holds only from events executed before. *)
Definition after_all (R : nat -> nat -> bool) (n : nat) (done : list nat) (k : nat) : bool :=
  forallb (fun i => implb (R i k) (mem i done)) (seq 0 n).

Lemma after_all_spec R n w :
  NoDup w -> (forall i k, R i k = true -> i < n) ->
  (at_each (after_all R n) [] w = true <-> forall i j, In j w -> R i j = true -> before w i j).
Proof.
  intros Hn HR. rewrite at_each_spec. simpl. split.
  - intros H i j Hj Hij. apply in_split in Hj as (q & r & E). exists q, r. split; [assumption |].
    specialize (H q j r E). unfold after_all in H. rewrite forallb_forall in H.
    assert (Hs : In i (seq 0 n)) by (apply in_seq; specialize (HR _ _ Hij); lia).
    specialize (H i Hs). rewrite Hij in H. now apply mem_spec.
  - intros H q k r E. unfold after_all. apply forallb_forall. intros i _.
    destruct (R i k) eqn:Hik; [simpl | reflexivity]. apply mem_spec.
    assert (Hk : In k w) by (rewrite E; apply in_or_app; simpl; auto).
    destruct (H i k Hk Hik) as (a & b & E' & Ha). rewrite E in Hn, E'. now rewrite (split_unique _ _ _ _ _ Hn E').
Qed.

Lemma direct_lt tr i j : direct tr i j = true -> i < length tr.
Proof.
  unfold direct. destruct (nth_error tr i) as [e |] eqn:E; [| discriminate]. intros _. eapply nth_some_lt. eassumption.
Qed.

(** The conditions of both notions on the order of execution. *)
Definition check_order (tr : trace) (w : list nat) : bool :=
  at_each (fun done k => Nat.ltb k (length tr) && negb (mem k done)) [] w &&
  at_each (after_all (direct tr) (length tr)) [] w &&
  match check_well_formed (pick tr w) with
  | None => true
  | Some _ => false
  end.

Definition in_order (tr : trace) (w : list nat) : Prop :=
  NoDup w /\ (forall i, In i w -> i < length tr) /\
  (forall i j, In j w -> thread_order tr i j -> before w i j) /\
  well_formed (pick tr w).

Lemma check_order_is_right tr w : well_formed tr -> (check_order tr w = true <-> in_order tr w).
Proof.
  intro Hw. unfold check_order, in_order. rewrite !andb_true_iff.
  assert (Hwf : match check_well_formed (pick tr w) with None => true | Some _ => false end = true <-> well_formed (pick tr w)).
  { pose proof (check_is_right (pick tr w)) as Hc. destruct (check_well_formed (pick tr w)) as [[n why] |].
    - split; [discriminate | tauto].
    - tauto. }
  rewrite Hwf.
  assert (Hnv : at_each (fun done k => Nat.ltb k (length tr) && negb (mem k done)) [] w = true <->
    NoDup w /\ forall i, In i w -> i < length tr).
  { rewrite at_each_spec, nodup_spec. simpl. split.
    - intro H. split.
      + intros q k r E Hin. specialize (H q k r E). apply andb_true_iff in H as [_ H].
        apply mem_spec in Hin. rewrite Hin in H. discriminate.
      + intros i Hi. apply in_split in Hi as (q & r & E). specialize (H q i r E).
        apply andb_true_iff in H as [H _]. now apply Nat.ltb_lt.
    - intros [Hn Hv] q k r E. apply andb_true_iff. split.
      + apply Nat.ltb_lt, Hv. rewrite E. apply in_or_app. simpl. auto.
      + apply negb_true_iff. destruct (mem k q) eqn:Em; [| reflexivity]. apply mem_spec in Em. exfalso. eapply Hn; eauto. }
  rewrite Hnv. split.
  - intros [[[Hn Hv] Ho] Hwp]. rewrite after_all_spec in Ho by (assumption || exact (direct_lt tr)).
    do 2 (split; [assumption |]). split; [| assumption]. intros i j Hj H. eapply direct_is_enough; eassumption.
  - intros (Hn & Hv & Ho & Hwp). split; [split; [auto |] | assumption]. apply after_all_spec; [assumption | exact (direct_lt tr) |].
    intros i j Hj H. apply Ho; [assumption | apply direct_is_thread_order; assumption].
Qed.

(** ** Conflicts *)

Definition accessed (e : event) : option (var * bool) :=
  match action e with
  | Read x => Some (x, false)
  | Write x => Some (x, true)
  | _ => None
  end.

Definition check_conflict (tr : trace) (i j : nat) : bool :=
  match nth_error tr i, nth_error tr j with
  | Some e, Some f =>
      negb (Pos.eqb (thread e) (thread f)) &&
      match accessed e, accessed f with
      | Some (x, wx), Some (y, wy) => Pos.eqb x y && (wx || wy)
      | _, _ => false
      end
  | _, _ => false
  end.

Lemma check_conflict_is_right tr i j : check_conflict tr i j = true <-> conflicting tr i j.
Proof.
  unfold check_conflict, conflicting, conflict, accesses, writes, accessed. split.
  - destruct (nth_error tr i) as [e |]; [| discriminate]. destruct (nth_error tr j) as [f |]; [| discriminate].
    intro H. apply andb_true_iff in H as [Hne H]. apply negb_true_iff, Pos.eqb_neq in Hne.
    exists e, f. do 2 (split; [reflexivity |]). split; [assumption |].
    destruct (action e) as [x | x | | | | | |] eqn:He; try discriminate;
      destruct (action f) as [y | y | | | | | |] eqn:Hf; try discriminate;
      apply andb_true_iff in H as [Hx Hwr]; try discriminate; apply Pos.eqb_eq in Hx as ->; exists y; auto.
  - intros (e & f & -> & -> & Hne & x & [He | He] & [Hf | Hf] & Hwr); rewrite He, Hf;
      apply Pos.eqb_neq in Hne; rewrite Hne, Pos.eqb_refl; try reflexivity. intuition congruence.
Qed.

(** ** LW *)

Definition keeps_writer (tr : trace) (done : list nat) (k : nat) : bool :=
  match nth_error tr k with
  | Some (Event _ (Read x)) =>
      match last_write tr done x, last_write tr (seq 0 k) x with
      | Some a, Some b => Nat.eqb a b
      | None, None => true
      | _, _ => false
      end
  | _ => true
  end.

Lemma keeps_writer_is_right tr done k :
  keeps_writer tr done k = true <->
  forall t x, nth_error tr k = Some (Event t (Read x)) -> last_write tr done x = last_write tr (seq 0 k) x.
Proof.
  unfold keeps_writer. destruct (nth_error tr k) as [[t a] |]; [| split; [intros; discriminate | reflexivity]].
  destruct a as [x | | | | | | |]; try (split; [intros _ t' y H; discriminate | reflexivity]).
  split.
  - intros H u y [= _ <-]. destruct (last_write tr done x), (last_write tr (seq 0 k) x); try discriminate; auto.
    apply Nat.eqb_eq in H. congruence.
  - intro H. rewrite (H t x eq_refl). destruct (last_write tr (seq 0 k) x); [apply Nat.eqb_refl | reflexivity].
Qed.

(** The pair, and the events executed before it. *)
Fixpoint split_pair (w : list nat) : option (list nat * nat * nat) :=
  match w with
  | [] | [_] => None
  | [i; j] => Some ([], i, j)
  | k :: rest =>
      match split_pair rest with
      | Some (p, i, j) => Some (k :: p, i, j)
      | None => None
      end
  end.

Lemma split_pair_is_right w p i j : split_pair w = Some (p, i, j) <-> w = p ++ [i; j].
Proof.
  revert p. induction w as [| a w IH]; intro p; [split; [discriminate | intro E; destruct p; discriminate] |].
  destruct w as [| b w]; [split; [discriminate | intro E; destruct p as [| c [| d p]]; discriminate] |].
  destruct w as [| c w].
  - simpl. split; [intros [= <- <- <-]; reflexivity |].
    intro E. destruct p as [| d [| d' [| d'' p]]]; simpl in E; try discriminate. congruence.
  - change (split_pair (a :: b :: c :: w)) with
      (match split_pair (b :: c :: w) with Some (p, i, j) => Some (a :: p, i, j) | None => None end).
    split.
    + destruct (split_pair (b :: c :: w)) as [[[p' i'] j'] |] eqn:E; [| discriminate].
      intros [= <- -> ->]. simpl. f_equal. now apply IH.
    + intro E. destruct p as [| d p]; [discriminate |]. injection E as <- E.
      now rewrite (proj2 (IH p) E).
Qed.

Definition check_lw (tr : trace) (w : list nat) : bool :=
  match split_pair w with
  | Some (p, i, j) => check_conflict tr i j && check_order tr w && at_each (keeps_writer tr) [] p
  | None => false
  end.

Theorem check_lw_is_right tr w :
  well_formed tr -> (check_lw tr w = true <-> exists p i j, w = p ++ [i; j] /\ lw_witness tr p i j).
Proof.
  intro Hw. unfold check_lw. split.
  - destruct (split_pair w) as [[[p i] j] |] eqn:E; [| discriminate].
    apply split_pair_is_right in E as ->. rewrite !andb_true_iff, check_conflict_is_right, check_order_is_right by assumption.
    intros [[Hc (Hn & Hv & Ho & Hwf)] Hr]. exists p, i, j. split; [reflexivity |]. split; auto.
    intros q k r t x Ep Hk. rewrite at_each_spec in Hr. specialize (Hr q k r Ep).
    exact (proj1 (keeps_writer_is_right tr q k) Hr t x Hk).
  - intros (p & i & j & E & [Hn Hv Ho Hwf Hr Hc]). rewrite (proj2 (split_pair_is_right w p i j) E), E.
    rewrite !andb_true_iff, check_conflict_is_right, check_order_is_right by assumption.
    split; [split; [assumption | unfold in_order; auto] |]. apply at_each_spec. intros q k r Ep. apply keeps_writer_is_right.
    intros t x Hk. eapply Hr; eassumption.
Qed.

(** Whatever program produced the trace: an accepted witness is a schedule of it, and the pair races. *)
Theorem accepted_witness_shows_a_race P l w :
  execution P l -> check_lw (erase l) w = true ->
  exists p i j e f v1 v2,
    w = p ++ [i; j] /\ nth_error (erase l) i = Some e /\ nth_error (erase l) j = Some f /\ conflict e f /\
    execution P (pick l p) /\
    execution P (pick l p ++ [Valued e v1]) /\
    execution P (pick l p ++ [Valued f v2]).
Proof.
  intros Hl H. apply check_lw_is_right in H as (p & i & j & E & Hwit); [| eapply execution_well_formed; eassumption].
  destruct (witness_shows_a_race P l Hl p i j Hwit) as (e & f & v1 & v2 & He & Hf & Hc & X1 & X2).
  exists p, i, j, e, f, v1, v2. repeat (split; [assumption |]). split; [eapply witness_is_an_execution; eassumption | auto].
Qed.

(** ** CA *)

Definition earlier_conflict (tr : trace) (i j : nat) : bool := Nat.ltb i j && check_conflict tr i j.

(** The pair may be named in either order. *)
Definition check_ca (tr : trace) (w : list nat) : bool :=
  match split_pair w with
  | Some (p, i, j) =>
      let ordered := p ++ [Nat.min i j; Nat.max i j] in
      check_conflict tr i j && check_order tr ordered &&
      at_each (after_all (earlier_conflict tr) (length tr)) [] ordered
  | None => false
  end.

Theorem check_ca_is_right tr w :
  well_formed tr ->
  (check_ca tr w = true <->
   exists p i j, w = p ++ [i; j] /\ conflicting tr i j /\ ca_reordering tr (p ++ [Nat.min i j; Nat.max i j])).
Proof.
  intro Hw.
  assert (Hlt : forall i k, earlier_conflict tr i k = true -> i < length tr).
  { intros i k H. apply andb_true_iff in H as [_ H]. apply check_conflict_is_right in H as (e & f & He & _).
    eapply nth_some_lt. eassumption. }
  assert (Hec : forall i k, earlier_conflict tr i k = true <-> i < k /\ conflicting tr i k).
  { intros i k. unfold earlier_conflict. now rewrite andb_true_iff, Nat.ltb_lt, check_conflict_is_right. }
  unfold check_ca. split.
  - destruct (split_pair w) as [[[p i] j] |] eqn:E; [| discriminate]. apply split_pair_is_right in E as ->.
    rewrite !andb_true_iff, check_conflict_is_right, check_order_is_right by assumption.
    intros [[Hc (Hn & Hv & Ho & Hwf)] Ha]. exists p, i, j. split; [reflexivity |]. split; [assumption |].
    rewrite after_all_spec in Ha by assumption. split; auto.
    intros a b Hb Hab Hcab. apply Ha; [assumption | now apply Hec].
  - intros (p & i & j & E & Hc & [Hn Hv Ho Hwf Ha]). rewrite (proj2 (split_pair_is_right w p i j) E).
    rewrite !andb_true_iff, check_conflict_is_right, check_order_is_right by assumption.
    split; [split; [assumption | unfold in_order; auto] |]. apply after_all_spec; [assumption | assumption |].
    intros a b Hb Hab. apply Hec in Hab as [Hlt' Hcab]. auto.
Qed.

Theorem accepted_ca_witness_is_a_dc_race tr w :
  well_formed tr -> check_ca tr w = true ->
  exists p i j, w = p ++ [i; j] /\ dc_race tr (Nat.min i j) (Nat.max i j).
Proof.
  intros Hw H. apply check_ca_is_right in H as (p & i & j & E & Hc & Hca); [| assumption].
  exists p, i, j. split; [assumption |]. apply dc_complete. split.
  - destruct (le_lt_dec i j) as [Hle | Hgt].
    + now rewrite Nat.min_l, Nat.max_r by lia.
    + rewrite Nat.min_r, Nat.max_l by lia. now apply conflicting_sym.
  - exists p, []. assumption.
Qed.

(** A CA witness shows a race of the program, too. *)
Theorem accepted_ca_witness_shows_a_race P l w :
  execution P l -> check_ca (erase l) w = true ->
  exists p i j, w = p ++ [i; j] /\
  exists e f v1 v2,
    nth_error (erase l) (Nat.min i j) = Some e /\ nth_error (erase l) (Nat.max i j) = Some f /\ conflict e f /\
    execution P (pick l p ++ [Valued e v1]) /\
    execution P (pick l p ++ [Valued f v2]).
Proof.
  intros Hl H. apply check_ca_is_right in H as (p & i & j & E & Hc & Hca); [| eapply execution_well_formed; eassumption].
  exists p, i, j. split; [assumption |]. apply (witness_shows_a_race P l Hl). apply ca_witness_is_lw_witness; [assumption |].
  destruct (le_lt_dec i j) as [Hle | Hgt].
  - now rewrite Nat.min_l, Nat.max_r by lia.
  - rewrite Nat.min_r, Nat.max_l by lia. now apply conflicting_sym.
Qed.

(** ** Small traces *)

Local Notation "t : a" := (Event t a) (at level 60).
Local Open Scope positive_scope.

(** A lock orders the write before the read in the trace, but the second section can come first: not an HB race, but a
    predictable one. *)
Example sections_swapped :
  let tr := [1 : Write 1; 1 : Acquire 1; 1 : Release 1; 2 : Acquire 1; 2 : Release 1; 2 : Read 1] in
  judge tr = all_say None /\ check_lw tr [3; 4; 0; 5]%nat = true /\ check_ca tr [3; 4; 0; 5]%nat = true.
Proof. repeat split; reflexivity. Qed.

(** The read of the second section would lose its writer. *)
Example a_lost_writer :
  let tr := [1 : Write 1; 1 : Acquire 1; 1 : Write 2; 1 : Release 1; 2 : Acquire 1; 2 : Read 2; 2 : Release 1; 2 : Read 1] in
  check_lw tr [4; 5; 6; 0; 7]%nat = false /\ check_ca tr [4; 5; 6; 0; 7]%nat = false.
Proof. split; reflexivity. Qed.

(** LW without CA: thread 1 writes without the read of thread 2 that came before in the trace. *)
Example lw_without_ca :
  let tr := [2 : Read 1; 2 : Acquire 1; 2 : Write 1; 2 : Release 1; 1 : Acquire 1; 1 : Write 1; 1 : Release 1; 1 : Read 1] in
  check_lw tr [4; 0; 5]%nat = true /\ check_ca tr [4; 0; 5]%nat = false.
Proof. split; reflexivity. Qed.
