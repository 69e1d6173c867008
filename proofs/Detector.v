(** * Detectors

    The correctness of a detector, defined once for all of them.

    A detector is a start state and a partial function [next]: the state after an event, or nothing when the detector is
    stuck, which is how it reports a race.  It is right when, on every well-formed trace, it gets stuck exactly at a racy
    event ([stuck_at_races]).  From that follow
    - [sound_and_complete]: it runs through iff the trace has no race;
    - [detect_first_race], [detect_no_race]: the event at which it reports is the first event that races with an earlier one.

    C++ twin: the [first_race] of an analysis' result. *)

From Coq Require Import List Arith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore.

Section Detector.

Context {state : Type} (start : state) (next : state -> event -> option state).

Definition bind (o : option state) (e : event) : option state :=
  match o with
  | Some s => next s e
  | None => None
  end.

(** The state after a whole trace; none if the detector gets stuck. *)
Definition run_detector (tr : trace) : option state := fold_left bind tr (Some start).

(** The index of the event at which the detector gets stuck. *)
Fixpoint detect_from (s : state) (tr : trace) (i : nat) : option nat :=
  match tr with
  | [] => None
  | e :: rest =>
      match next s e with
      | Some s' => detect_from s' rest (S i)
      | None => Some i
      end
  end.

Definition detect (tr : trace) : option nat := detect_from start tr 0.

Definition stuck_at_races : Prop :=
  forall tr e s, well_formed (tr ++ [e]) -> run_detector tr = Some s ->
  (next s e = None <-> racy (tr ++ [e]) (length tr)).

Lemma run_detector_snoc tr e : run_detector (tr ++ [e]) = bind (run_detector tr) e.
Proof. unfold run_detector. now rewrite fold_left_app. Qed.

Lemma bind_stuck tr : fold_left bind tr None = None.
Proof. induction tr; simpl; auto. Qed.

Lemma run_detector_app p q :
  run_detector (p ++ q) = match run_detector p with Some s => fold_left bind q (Some s) | None => None end.
Proof. unfold run_detector. rewrite fold_left_app. destruct (fold_left bind p (Some start)); auto using bind_stuck. Qed.

Lemma detect_from_none s tr i : detect_from s tr i = None <-> exists s', fold_left bind tr (Some s) = Some s'.
Proof.
  revert s i. induction tr as [| e tr IH]; intros s i; simpl; [split; eauto |].
  destruct (next s e) as [s1 |]; [apply IH |]. rewrite bind_stuck. split; [discriminate | intros [? ?]; discriminate].
Qed.

Lemma detect_from_some s tr i f :
  detect_from s tr i = Some f ->
  exists p e q s', tr = p ++ e :: q /\ f = i + length p /\ fold_left bind p (Some s) = Some s' /\ next s' e = None.
Proof.
  revert s i. induction tr as [| e tr IH]; intros s i; simpl; [discriminate |].
  destruct (next s e) as [s1 |] eqn:E.
  - intro H. destruct (IH _ _ H) as (p & e' & q & s' & -> & -> & Hr & Hn).
    exists (e :: p), e', q, s'. simpl. rewrite E. repeat split; auto; lia.
  - intros [= <-]. exists [], e, tr, s. simpl. repeat split; auto; lia.
Qed.

Context (Hstuck : stuck_at_races).

Theorem sound_and_complete tr :
  well_formed tr -> ((exists s, run_detector tr = Some s) <-> race_free tr).
Proof.
  induction tr as [| e tr IH] using rev_ind; intro Hw.
  - split; [| intros _; exists start; reflexivity]. intros _ j Hj. apply racy_lt in Hj. simpl in Hj. lia.
  - rewrite race_free_snoc by assumption. rewrite run_detector_snoc.
    pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _]. rewrite <- IH by assumption. split.
    + intros [s Hs]. destruct (run_detector tr) as [s0 |] eqn:E; [| discriminate]. split; [eauto |].
      intro H. apply (Hstuck _ _ _ Hw E) in H. simpl in Hs. congruence.
    + intros [[s0 E] Hno]. rewrite E. simpl. destruct (next s0 e) eqn:En; [eauto |].
      exfalso. apply Hno, (Hstuck _ _ _ Hw E), En.
Qed.

Theorem detect_no_race tr : well_formed tr -> (detect tr = None <-> race_free tr).
Proof. intro Hw. unfold detect. rewrite detect_from_none. apply sound_and_complete, Hw. Qed.

Lemma detect_sound tr f : well_formed tr -> detect tr = Some f -> first_race tr f.
Proof.
  intros Hw H. destruct (detect_from_some _ _ _ _ H) as (p & e & q & s & -> & -> & Hr & Hn). simpl.
  assert (Hpe : firstn (S (length p)) (p ++ e :: q) = p ++ [e]).
  { replace (p ++ e :: q) with ((p ++ [e]) ++ q) by (rewrite <- app_assoc; reflexivity).
    replace (S (length p)) with (length (p ++ [e])) by (rewrite app_length; simpl; lia).
    rewrite firstn_app, Nat.sub_diag, firstn_all. simpl. apply app_nil_r. }
  assert (Hwpe : well_formed (p ++ [e])) by (rewrite <- Hpe; apply well_formed_prefix, Hw).
  split.
  - rewrite <- (racy_prefix _ (S (length p))) by (auto; lia). rewrite Hpe. apply (Hstuck _ _ _ Hwpe Hr), Hn.
  - intros k Hk. rewrite <- (racy_prefix _ (S (length p))) by (auto; lia). rewrite Hpe.
    pose proof (proj1 (well_formed_snoc _ _) Hwpe) as [Hwp _].
    rewrite <- (racy_prefix _ (length p)) by auto. rewrite firstn_snoc_old, firstn_all by lia.
    apply sound_and_complete; [assumption | exists s; assumption].
Qed.

Theorem detect_first_race tr f : well_formed tr -> (detect tr = Some f <-> first_race tr f).
Proof.
  intro Hw. split; [apply detect_sound, Hw |]. intros [Hr Hmin].
  destruct (detect tr) as [g |] eqn:E.
  - pose proof (detect_sound _ _ Hw E) as [Hg Hgmin].
    destruct (lt_eq_lt_dec f g) as [[Hlt | ->] | Hlt]; [exfalso; eapply Hgmin; eauto | reflexivity | exfalso; eapply Hmin; eauto].
  - exfalso. apply detect_no_race in E; [| assumption]. exact (E f Hr).
Qed.

End Detector.
