(** * Witnesses are executions

    Why an accepted witness shows a race of the program, and not only of the trace.

    A program gives each thread its next operation, from what the thread has done and read so far.  An execution is a list of
    events with values in which each event is its thread's next operation, locks, forks and joins are kept, a joined
    thread has finished, and every read returns the last value written.  The witness checker sees neither the program nor
    the values.
    - [lw_witness]: the checker's conditions.  Per-thread prefixes in program order, thread order, well-formed, every read
      but a racing one has its original last writer, and a conflicting pair at the end.
    - [ca_witness_is_lw_witness]: a CA reordering keeps last writers, so a CA witness is an LW witness.
    - [witness_is_an_execution]: for every program that could have produced the trace, the events before the pair are an
      execution of that program.
    - [witness_shows_a_race]: and after it, each access of the pair can be performed next.

    C++ twin: none.  This is the purpose of [Checker::accepts]. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore Reordering DoesntCommute.

(** ** Programs and executions *)

Definition value := nat.

(** An event, and the value that it read or wrote; 0 for other operations. *)
Record valued := Valued { event_of : event; value_of : value }.

Definition thread_of (e : valued) : tid := thread (event_of e).
Definition action_of (e : valued) : operation := action (event_of e).

Record program := Program {
  (* threads that run without a fork *)
  is_root : tid -> bool;
  (* the next operation of a thread with this past, and the value if it is a write; [None]: it has finished *)
  next_operation : tid -> list (operation * value) -> option (operation * value)
}.

(** The operations of thread [t] so far, with the values it read. *)
Definition past (t : tid) (l : list valued) : list (operation * value) :=
  map (fun e => (action_of e, value_of e)) (of_thread thread_of t l).

Definition store (x : var) (v : value) (e : valued) : value :=
  match action_of e with
  | Write y => if Pos.eqb x y then value_of e else v
  | _ => v
  end.

(** The value of [x] after [l].  Memory starts with 0. *)
Definition memory (l : list valued) (x : var) : value := fold_left (store x) l 0.

(** [e] can be executed after [l]. *)
Definition can_execute (P : program) (l : list valued) (e : valued) : Prop :=
  legal (map event_of l) (event_of e) /\
  (is_root P (thread_of e) = true \/ forked (map event_of l) (thread_of e)) /\
  exists v, next_operation P (thread_of e) (past (thread_of e) l) = Some (action_of e, v) /\
  match action_of e with
  | Read x => value_of e = memory l x
  | Write _ => value_of e = v
  | Join u => value_of e = 0 /\ next_operation P u (past u l) = None
  | _ => value_of e = 0
  end.

Definition execution (P : program) (l : list valued) : Prop :=
  forall n e, nth_error l n = Some e -> can_execute P (firstn n l) e.

Definition erase (l : list valued) : trace := map event_of l.

(** ** Witnesses *)

(** The last of these events that writes [x]. *)
Definition last_write (tr : trace) (w : list nat) (x : var) : option nat :=
  fold_left (fun o i =>
    match nth_error tr i with
    | Some (Event _ (Write y)) => if Pos.eqb x y then Some i else o
    | _ => o
    end) w None.

(** [p] executed, then the pair.  C++ twin: [Checker::accepts], and [accepts_witness] of the judges with [Notion::Lw]. *)
Record lw_witness (tr : trace) (p : list nat) (i j : nat) : Prop := {
  lw_once : NoDup (p ++ [i; j]);
  lw_of_the_trace : forall k, In k (p ++ [i; j]) -> k < length tr;
  lw_thread_order : forall k n, In n (p ++ [i; j]) -> thread_order tr k n -> before (p ++ [i; j]) k n;
  lw_well_formed : well_formed (pick tr (p ++ [i; j]));
  lw_last_writers : forall q k r t x, p = q ++ k :: r -> nth_error tr k = Some (Event t (Read x)) ->
    last_write tr q x = last_write tr (seq 0 k) x;
  lw_pair : conflicting tr i j
}.

(** ** CA witnesses are LW witnesses *)

Definition writes_at (tr : trace) (x : var) (i : nat) : Prop := exists e, nth_error tr i = Some e /\ action e = Write x.

Lemma last_write_snoc tr w i x :
  last_write tr (w ++ [i]) x =
  match nth_error tr i with
  | Some (Event _ (Write y)) => if Pos.eqb x y then Some i else last_write tr w x
  | _ => last_write tr w x
  end.
Proof. unfold last_write. rewrite fold_left_app. reflexivity. Qed.

Lemma last_write_some tr w x i :
  last_write tr w x = Some i -> In i w /\ writes_at tr x i /\ forall j, In j w -> writes_at tr x j -> j = i \/ before w j i.
Proof.
  induction w as [| k w IH] using rev_ind; [discriminate |]. rewrite last_write_snoc. intro H.
  assert (Hold : last_write tr w x = Some i -> ~ writes_at tr x k ->
    In i (w ++ [k]) /\ writes_at tr x i /\ forall j, In j (w ++ [k]) -> writes_at tr x j -> j = i \/ before (w ++ [k]) j i).
  { intros Hi Hk. destruct (IH Hi) as (Hin & Hwr & Hall). split; [apply in_or_app; auto |]. split; [assumption |].
    intros j Hj Hwj. apply in_app_or in Hj as [Hj | [<- | []]]; [| contradiction].
    destruct (Hall j Hj Hwj); [auto | right; now apply before_of_prefix]. }
  destruct (nth_error tr k) as [[t a] |] eqn:Ek;
    [| apply Hold; [assumption | intros (e & He & _); congruence]].
  destruct a as [y | y | | | | | |];
    try (apply Hold; [assumption | intros (e & He & Ha); rewrite Ek in He; injection He as <-; discriminate]).
  destruct (Pos.eqb_spec x y) as [E | E].
  - injection H as <-. split; [apply in_or_app; simpl; auto |]. split; [exists (Event t (Write y)); subst; auto |].
    intros j Hj Hwj. apply in_app_or in Hj as [Hj | [-> | []]]; [right; exists w, []; auto | auto].
  - apply Hold; [assumption |]. intros (e & He & Ha). rewrite Ek in He. injection He as <-. simpl in Ha. congruence.
Qed.

Lemma last_write_none tr w x : last_write tr w x = None <-> forall j, In j w -> ~ writes_at tr x j.
Proof.
  induction w as [| k w IH] using rev_ind; [split; [intros _ j [] | reflexivity] |].
  rewrite last_write_snoc.
  assert (Hold : ~ writes_at tr x k -> (last_write tr w x = None <-> forall j, In j (w ++ [k]) -> ~ writes_at tr x j)).
  { intro Hk. rewrite IH. split; intros H j Hj; [apply in_app_or in Hj as [Hj | [<- | []]]; auto |].
    apply H, in_or_app. auto. }
  destruct (nth_error tr k) as [[t a] |] eqn:Ek; [| apply Hold; intros (e & He & _); congruence].
  destruct a as [y | y | | | | | |];
    try (apply Hold; intros (e & He & Ha); rewrite Ek in He; injection He as <-; discriminate).
  destruct (Pos.eqb_spec x y) as [E | E].
  - split; [discriminate |]. intro H. exfalso. apply (H k); [apply in_or_app; simpl; auto |].
    exists (Event t (Write y)). subst. auto.
  - apply Hold. intros (e & He & Ha). rewrite Ek in He. injection He as <-. simpl in Ha. congruence.
Qed.

(** Two accesses of [x], one of them a write, keep their order. *)
Lemma ca_keeps_accesses tr w a b x e f :
  ca_reordering tr w -> a < b -> In b w -> nth_error tr a = Some e -> nth_error tr b = Some f ->
  accesses e x -> accesses f x -> writes e x \/ writes f x -> before w a b.
Proof.
  intros Hca Hlt Hb He Hf Hae Haf Hwr. destruct (Pos.eq_dec (thread e) (thread f)) as [E | E].
  - apply (ca_thread_order _ _ Hca); [assumption |]. eapply to_program; eassumption.
  - apply (ca_conflicts _ _ Hca); [assumption | assumption |]. exists e, f. repeat split; auto. exists x. auto.
Qed.

Theorem ca_witness_is_lw_witness tr p i j :
  ca_reordering tr (p ++ [i; j]) -> conflicting tr i j -> lw_witness tr p i j.
Proof.
  intros Hca Hc. pose proof Hca as [Hn Hv Hto Hwf Hcf]. split; auto.
  intros q k r t x Ep Hk.
  assert (Ew : p ++ [i; j] = q ++ k :: (r ++ [i; j])) by (rewrite Ep, <- app_assoc; reflexivity).
  rewrite Ew in *. set (rest := r ++ [i; j]) in *. clearbody rest.
  assert (Hkw : In k (q ++ k :: rest)) by (apply in_or_app; simpl; auto).
  assert (Hinq : forall b, before (q ++ k :: rest) b k -> In b q).
  { intros b (c & d & E & Hin). now rewrite <- (split_unique _ _ _ _ _ Hn E) in Hin. }
  (* The writes executed before the read are those before it in the trace. *)
  assert (Hsame : forall b, writes_at tr x b -> (In b q <-> b < k)).
  { intros b (e & He & Ha). split.
    - intro Hb. destruct (lt_eq_lt_dec b k) as [[Hlt | ->] | Hlt]; [assumption | |]; exfalso.
      + apply NoDup_remove_2 in Hn. apply Hn, in_or_app. auto.
      + assert (Hkb : before (q ++ k :: rest) k b).
        { eapply ca_keeps_accesses with (x := x); eauto; unfold accesses, writes; simpl; auto.
          apply in_or_app. auto. }
        apply (before_irrefl _ k Hn). eapply before_trans; [assumption | exact Hkb |]. exists q, rest. auto.
    - intro Hlt. apply Hinq. eapply ca_keeps_accesses with (x := x); eauto; unfold accesses, writes; simpl; auto. }
  destruct (last_write tr (seq 0 k) x) as [m |] eqn:Em.
  - apply last_write_some in Em as (Hm & Hwm & Hall). apply in_seq in Hm.
    destruct (last_write tr q x) as [n |] eqn:En.
    + apply last_write_some in En as (Hnq & Hwn & Halln). f_equal.
      assert (Hnk : n < k) by (now apply (Hsame n Hwn)).
      destruct (Nat.eq_dec n m) as [| Hne]; [assumption | exfalso].
      (* [m] is later in the trace ... *)
      assert (Hlt : n < m).
      { destruct (Hall n) as [| Hb]; [apply in_seq; lia | assumption | contradiction |].
        destruct Hb as (c & d & E & Hin).
        assert (Hmc : m = length c).
        { assert (H : nth_error (seq 0 k) (length c) = Some m) by (rewrite E, nth_error_app2, Nat.sub_diag by lia; reflexivity).
          assert (Hlc : length c < k).
          { rewrite <- (seq_length k 0), E, app_length. simpl. lia. }
          rewrite nth_error_nth' with (d := 0) in H by (rewrite seq_length; lia). rewrite seq_nth in H by lia.
          injection H as <-. reflexivity. }
        apply In_nth_error in Hin as (pos & Hpos).
        assert (Hpl : pos < length c) by (apply nth_error_Some; congruence).
        assert (H : nth_error (seq 0 k) pos = Some n) by (rewrite E, nth_error_app1; assumption).
        rewrite nth_error_nth' with (d := 0) in H by (rewrite seq_length; lia). rewrite seq_nth in H by lia.
        injection H as <-. lia. }
      (* ... so it is executed later *)
      assert (Hmq : In m q) by (apply Hsame; [assumption | lia]).
      destruct (Halln m Hmq Hwm) as [-> | Hb]; [lia |].
      destruct Hwm as (em & Hem & Ham). destruct Hwn as (en & Hen & Han).
      assert (Hnm : before (q ++ k :: rest) n m).
      { eapply ca_keeps_accesses with (x := x); eauto; unfold accesses, writes; auto. apply in_or_app. auto. }
      apply (before_irrefl _ n Hn). eapply before_trans; [assumption | exact Hnm |]. now apply before_of_prefix.
    + exfalso. rewrite last_write_none in En. apply (En m); [apply Hsame; [assumption | lia] | assumption].
  - rewrite last_write_none in Em. apply last_write_none. intros b Hb Hwb.
    apply (Em b); [| assumption]. apply in_seq. apply (Hsame b Hwb) in Hb. lia.
Qed.

(** ** Facts about executions *)

Lemma nth_erase l n : nth_error (erase l) n = option_map event_of (nth_error l n).
Proof. apply nth_error_map. Qed.

Lemma nth_erase_some l n e : nth_error l n = Some e -> nth_error (erase l) n = Some (event_of e).
Proof. intro H. rewrite nth_erase, H. reflexivity. Qed.

Lemma pick_erase l w : pick (erase l) w = erase (pick l w).
Proof.
  induction w as [| i w IH]; [reflexivity |]. unfold pick in *. simpl. rewrite nth_erase.
  destruct (nth_error l i); simpl; congruence.
Qed.

Lemma execution_snoc P l e : execution P (l ++ [e]) <-> execution P l /\ can_execute P l e.
Proof.
  split.
  - intro H. split.
    + intros n f Hn. assert (Hlt : n < length l) by (apply nth_error_Some; congruence).
      specialize (H n f). rewrite nth_error_app1 in H by assumption. specialize (H Hn).
      rewrite firstn_app in H. replace (n - length l) with 0 in H by lia. simpl in H. now rewrite app_nil_r in H.
    + specialize (H (length l) e). rewrite nth_error_app2, Nat.sub_diag in H by lia. specialize (H eq_refl).
      rewrite firstn_app, Nat.sub_diag, firstn_all in H. simpl in H. now rewrite app_nil_r in H.
  - intros [Hl He] n f Hn. destruct (lt_dec n (length l)) as [Hlt | Hge].
    + rewrite nth_error_app1 in Hn by assumption. rewrite firstn_app. replace (n - length l) with 0 by lia.
      simpl. rewrite app_nil_r. auto.
    + rewrite nth_error_app2 in Hn by lia. destruct (n - length l) as [| d] eqn:E; [| destruct d; discriminate].
      injection Hn as <-. replace n with (length l) by lia.
      rewrite firstn_app, Nat.sub_diag, firstn_all. simpl. now rewrite app_nil_r.
Qed.

Lemma execution_well_formed P l : execution P l -> well_formed (erase l).
Proof.
  intros H n e Hn. rewrite nth_erase in Hn. destruct (nth_error l n) as [f |] eqn:E; [| discriminate].
  injection Hn as <-. unfold erase. rewrite firstn_map. apply (H n f E).
Qed.

(** A thread has done in the witness what it had done in the trace, when one of its events comes. *)
Lemma same_past l q k r e :
  respects_threads thread_of l (q ++ k :: r) -> nth_error l k = Some e ->
  past (thread_of e) (pick l q) = past (thread_of e) (firstn k l).
Proof.
  intros Hr Hk. pose proof (respects_threads_prefix _ _ _ _ Hr) as Hq. destruct Hr as [Hn _ Ho].
  destruct (projection thread_of l q (thread_of e) Hq) as (n & Hin & E). unfold past. rewrite E. f_equal.
  assert (Hkq : ~ In k q) by (apply NoDup_remove_2 in Hn; intro H; apply Hn, in_or_app; auto).
  assert (Hle : n <= k).
  { destruct (le_lt_dec n k) as [| Hlt]; [assumption | exfalso]. apply Hkq. now apply (Hin k e). }
  symmetry. apply of_thread_gap; [assumption |]. intros j f Hj Hf Hlt.
  assert (Hb : before (q ++ k :: r) j k).
  { eapply Ho; try eassumption; [apply in_or_app; simpl; auto | lia]. }
  destruct Hb as (a & b & Ew & Ha). rewrite <- (split_unique _ _ _ _ _ Hn Ew) in Ha.
  apply (Hin j f Hj Hf) in Ha. lia.
Qed.

(** A thread that has executed all its events has the same past as at the end of the trace. *)
Lemma whole_past l q u n :
  respects_threads thread_of l q ->
  (forall j e, nth_error l j = Some e -> thread_of e = u -> In j q) ->
  (forall j e, nth_error l j = Some e -> thread_of e = u -> j < n) ->
  past u (pick l q) = past u (firstn n l).
Proof.
  intros Hq Hall Hn. destruct (projection thread_of l q u Hq) as (k & Hin & E). unfold past. rewrite E. f_equal.
  transitivity (of_thread thread_of u (firstn (Nat.max k n) l)); [symmetry |];
    (apply of_thread_gap; [lia |]); intros j e Hj He Hlt.
  - pose proof (proj1 (Hin j e Hj He) (Hall j e Hj He)). lia.
  - specialize (Hn j e Hj He). lia.
Qed.

Lemma memory_pick l w x :
  memory (pick l w) x =
  match last_write (erase l) w x with
  | Some i => match nth_error l i with Some e => value_of e | None => 0 end
  | None => 0
  end.
Proof.
  induction w as [| i w IH] using rev_ind; [reflexivity |].
  rewrite pick_app. unfold memory, last_write in *. rewrite !fold_left_app. simpl.
  rewrite nth_erase. unfold pick at 1. simpl. destruct (nth_error l i) as [[[t a] v] |] eqn:E; simpl; [| exact IH].
  unfold store, action_of. simpl. destruct a; try exact IH.
  destruct (Pos.eqb x x0); [now rewrite E | exact IH].
Qed.

(** ** Soundness *)

Section Soundness.

Context (P : program) (l : list valued) (Hl : execution P l).
Context (p : list nat) (i j : nat) (Hw : lw_witness (erase l) p i j).

Lemma witness_respects_threads : respects_threads thread_of l (p ++ [i; j]).
Proof.
  split.
  - apply (lw_once _ _ _ _ Hw).
  - intros k Hk. pose proof (lw_of_the_trace _ _ _ _ Hw k Hk) as H. unfold erase in H. now rewrite map_length in H.
  - intros a b e f Hb Hlt He Hf Ht. apply (lw_thread_order _ _ _ _ Hw); [assumption |].
    eapply to_program; [assumption | apply nth_erase_some, He | apply nth_erase_some, Hf | exact Ht].
Qed.

(** Whatever is executed in the witness, up to its value, can be executed there. *)
Lemma witness_step q k r e :
  p ++ [i; j] = q ++ k :: r -> nth_error l k = Some e ->
  legal (erase (pick l q)) (event_of e) /\
  (is_root P (thread_of e) = true \/ forked (erase (pick l q)) (thread_of e)) /\
  exists v, next_operation P (thread_of e) (past (thread_of e) (pick l q)) = Some (action_of e, v) /\
  match action_of e with
  | Write _ => value_of e = v
  | Join u => value_of e = 0 /\ next_operation P u (past u (pick l q)) = None
  | Read _ => True
  | _ => value_of e = 0
  end.
Proof.
  intros Ew Hk. pose proof witness_respects_threads as Hr. pose proof Hw as [Hn Hv Hto Hwf _ _].
  rewrite Ew in Hr, Hn, Hto, Hwf.
  assert (Hwe : well_formed (erase l)) by (eapply execution_well_formed; exact Hl).
  destruct (Hl k e Hk) as (_ & Hfork & v & Hnext & Hval).
  assert (Hinw : In k (q ++ k :: r)) by (apply in_or_app; simpl; auto).
  assert (Hbefore : forall n, before (q ++ k :: r) n k -> In n q).
  { intros n (a & b & E & Ha). now rewrite <- (split_unique _ _ _ _ _ Hn E) in Ha. }
  split; [| split].
  - rewrite pick_app, (pick_cons _ _ _ _ (nth_erase_some _ _ _ Hk)) in Hwf. rewrite pick_erase in Hwf.
    specialize (Hwf (length (erase (pick l q))) (event_of e)).
    rewrite nth_error_app2, Nat.sub_diag in Hwf by lia. specialize (Hwf eq_refl).
    rewrite firstn_app, Nat.sub_diag, firstn_all in Hwf. simpl in Hwf. now rewrite app_nil_r in Hwf.
  - destruct Hfork as [Hroot | (f & Hf & Ha)]; [auto | right].
    fold (erase (firstn k l)) in Hf. apply In_nth_error in Hf as (n & Hn').
    assert (Hnk : n < k).
    { apply nth_some_lt in Hn'. unfold erase in Hn'. rewrite map_length, firstn_length in Hn'. lia. }
    assert (Hnl : nth_error (erase l) n = Some f).
    { unfold erase in *. rewrite <- firstn_map in Hn'. rewrite <- (firstn_skipn k (map event_of l)).
      rewrite nth_error_app1; [assumption | eapply nth_some_lt; eassumption]. }
    assert (Hb : before (q ++ k :: r) n k).
    { apply Hto; [assumption |]. eapply fork_is_before_child; [exact Hnl | apply nth_erase_some, Hk | exact Ha]. }
    exists f. split; [| assumption]. rewrite <- pick_erase. unfold pick. apply in_flat_map.
    exists n. split; [apply Hbefore, Hb |]. rewrite Hnl. simpl. auto.
  - exists v. rewrite (same_past l q k r e Hr Hk). split; [assumption |].
    destruct (action_of e) as [x | x | m | m | u | u | |] eqn:Ha; auto.
    destruct Hval as [Hval Hfin]. split; [assumption |].
    rewrite (whole_past l q u k); [assumption | eapply respects_threads_prefix; eassumption | |].
    + intros n f Hnf Hfu. apply Hbefore, Hto; [assumption |].
      eapply child_is_before_join; [apply nth_erase_some, Hnf | apply nth_erase_some, Hk |].
      unfold thread_of in Hfu. rewrite Hfu. exact Ha.
    + intros n f Hnf Hfu. eapply child_runs_before_join with (tr := erase l) (f := event_of e) (e := event_of f);
        [assumption | apply nth_erase_some, Hk | unfold thread_of in Hfu; rewrite Hfu; exact Ha | apply nth_erase_some, Hnf].
Qed.

Theorem witness_is_an_execution : execution P (pick l p).
Proof.
  assert (H : forall q r, p = q ++ r -> execution P (pick l q)).
  { induction q as [| k q IH] using rev_ind; intros r E; [intros [| n] e Hn; discriminate |].
    rewrite <- app_assoc in E. simpl in E. specialize (IH _ E). rewrite pick_app.
    pose proof Hw as [_ Hv _ _ Hlw _].
    assert (Hk : k < length l).
    { assert (Hin : In k (p ++ [i; j])) by (rewrite E; apply in_or_app; left; apply in_or_app; simpl; auto).
      specialize (Hv k Hin). unfold erase in Hv. now rewrite map_length in Hv. }
    destruct (nth_error l k) as [e |] eqn:Ek; [| apply nth_error_None in Ek; lia].
    rewrite (pick_cons _ _ _ _ Ek). simpl. apply execution_snoc. split; [assumption |].
    assert (Ew : p ++ [i; j] = q ++ k :: (r ++ [i; j])) by (rewrite E, <- app_assoc; reflexivity).
    destruct (witness_step q k (r ++ [i; j]) e Ew Ek) as (Hlegal & Hfork & v & Hnext & Hval).
    split; [assumption |]. split; [assumption |]. exists v. split; [assumption |].
    destruct (Hl k e Ek) as (_ & _ & v' & _ & Hval').
    destruct (action_of e) as [x | x | m | m | u | u | |] eqn:Ha; auto.
    rewrite Hval', <- pick_seq, !memory_pick.
    assert (Hread : nth_error (erase l) k = Some (Event (thread_of e) (Read x))).
    { rewrite (nth_erase_some _ _ _ Ek). unfold thread_of, action_of in *. destruct (event_of e). simpl in *. congruence. }
    now rewrite (Hlw q k r _ x E Hread). }
  apply (H p []). symmetry. apply app_nil_r.
Qed.

(** An access of the pair can be performed: after the same execution, with any value. *)
Theorem witness_shows_a_race :
  exists e f v1 v2,
    nth_error (erase l) i = Some e /\ nth_error (erase l) j = Some f /\ conflict e f /\
    execution P (pick l p ++ [Valued e v1]) /\
    execution P (pick l p ++ [Valued f v2]).
Proof.
  pose proof witness_is_an_execution as Hexec.
  pose proof (lw_pair _ _ _ _ Hw) as (e & f & He & Hf & Hc).
  assert (Hval : forall k g, nth_error (erase l) k = Some g -> exists ve, nth_error l k = Some ve /\ event_of ve = g).
  { intros k g H. rewrite nth_erase in H. destruct (nth_error l k) as [ve |]; [| discriminate].
    injection H as <-. eauto. }
  destruct (Hval i e He) as (vi & Hi & Ei). destruct (Hval j f Hf) as (vj & Hj & Ej).
  (* An access that could be executed with some value can be executed with the right one. *)
  assert (Hacc : forall g x v, accesses g x ->
    legal (erase (pick l p)) g -> (is_root P (thread g) = true \/ forked (erase (pick l p)) (thread g)) ->
    next_operation P (thread g) (past (thread g) (pick l p)) = Some (action g, v) ->
    exists v', execution P (pick l p ++ [Valued g v'])).
  { intros g x v Hacc Hlegal Hfork Hnext.
    destruct Hacc as [Ha | Ha].
    - exists (memory (pick l p) x). apply execution_snoc. split; [assumption |].
      unfold can_execute, thread_of, action_of. simpl. rewrite Ha in *. eauto.
    - exists v. apply execution_snoc. split; [assumption |].
      unfold can_execute, thread_of, action_of. simpl. rewrite Ha in *. eauto. }
  pose proof Hc as (Hne & x & Hax & Hbx & _).
  destruct (witness_step p i [j] vi eq_refl Hi) as (L1 & F1 & v1 & N1 & _).
  unfold thread_of, action_of in F1, N1. rewrite Ei in L1, F1, N1.
  assert (Ej' : p ++ [i; j] = (p ++ [i]) ++ j :: []) by (rewrite <- app_assoc; reflexivity).
  destruct (witness_step (p ++ [i]) j [] vj Ej' Hj) as (L2 & F2 & v2 & N2 & _).
  unfold thread_of, action_of in F2, N2. rewrite Ej in L2, F2, N2.
  (* The first access of the pair changes nothing for the other thread. *)
  assert (Epick : pick l (p ++ [i]) = pick l p ++ [vi]) by (rewrite pick_app, (pick_cons _ _ _ _ Hi); reflexivity).
  rewrite Epick in L2, F2, N2. unfold erase in L2, F2. rewrite map_app in L2, F2. simpl in L2, F2. rewrite Ei in L2, F2.
  assert (Hpast : past (thread f) (pick l p ++ [vi]) = past (thread f) (pick l p)).
  { unfold past, of_thread. rewrite filter_app. simpl. unfold thread_of at 2. rewrite Ei.
    destruct (Pos.eqb_spec (thread e) (thread f)); [contradiction | now rewrite app_nil_r]. }
  rewrite Hpast in N2.
  assert (L2' : legal (erase (pick l p)) f).
  { destruct L2 as [Hj2 _]. split; [intro H; apply Hj2; apply joined_snoc; auto |]. destruct Hbx as [-> | ->]; exact I. }
  assert (F2' : is_root P (thread f) = true \/ forked (erase (pick l p)) (thread f)).
  { destruct F2 as [F2 | (g & Hin & Hg)]; [auto | right]. apply in_app_or in Hin as [Hin | [<- | []]].
    - exists g. auto.
    - exfalso. destruct Hax as [Hax | Hax]; congruence. }
  destruct (Hacc e x v1 Hax L1 F1 N1) as (v1' & X1).
  destruct (Hacc f x v2 Hbx L2' F2' N2) as (v2' & X2).
  exists e, f, v1', v2'. auto.
Qed.

End Soundness.
