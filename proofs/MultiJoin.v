(** * Several threads join one

    Section 3.4 of "Verifying Dynamic Race Detection".  Figure 2's join increments the joined thread's clock.  Where several threads may join one
    thread, two joins would race on that clock, so the increment is left out, and a new operation says that a thread has
    exited: a thread does nothing after its exit, and is joined only after it.  Here the exit is the operation [End], and
    the state has one more component X, the threads that have exited.
    - [step]: VectorClock without the increment, and with X.
    - [exits_well_formed]: traces that keep this discipline.  Every one of them is well formed.
    - [multi_join_sound_and_complete] (Theorem 3), [multi_join_stuck_iff_racy].
    - [multi_join_without_exits]: X is not needed to find the races.  Without it the theorem holds for every well-formed
      trace.  VectorClock.v also has [join_rules_agree]: in a sequential detector the increment does no harm, so the
      reason to leave it out is the detector's own concurrency.

    C++ twin: the join of [HardOrder]. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Detector.
From Omen Require VectorClock.
Module VC := VectorClock.

(** ** The discipline *)

Definition exited (tr : trace) (u : tid) : Prop := exists e, In e tr /\ thread e = u /\ action e = End.

Definition exits_legal (tr : trace) (e : event) : Prop :=
  ~ exited tr (thread e) /\
  match action e with
  | Acquire m => holder tr m = None \/ exists d, holder tr m = Some (thread e, d)
  | Release m => exists d, holder tr m = Some (thread e, d)
  | Fork u => u <> thread e /\ ~ ran tr u /\ ~ forked tr u
  | Join u => exited tr u
  | Read _ | Write _ | Begin | End => True
  end.

Definition exits_well_formed (tr : trace) : Prop :=
  forall i e, nth_error tr i = Some e -> exits_legal (firstn i tr) e.

Lemma exits_well_formed_snoc tr e :
  exits_well_formed (tr ++ [e]) <-> exits_well_formed tr /\ exits_legal tr e.
Proof.
  split.
  - intro H. split.
    + intros i f Hi. rewrite <- (firstn_snoc_old tr e) by (apply nth_some_lt in Hi; lia).
      apply H, nth_snoc_old, Hi.
    + specialize (H _ _ (nth_snoc_last tr e)). rewrite firstn_snoc_old in H by lia. now rewrite firstn_all in H.
  - intros [Hw Hl] i f Hi. apply nth_snoc_cases in Hi as [[Hlt Hi] | [-> ->]].
    + rewrite firstn_snoc_old by lia. auto.
    + rewrite firstn_snoc_old, firstn_all by lia. assumption.
Qed.

Lemma exited_snoc tr e u : exited (tr ++ [e]) u <-> exited tr u \/ (thread e = u /\ action e = End).
Proof.
  unfold exited. split.
  - intros (f & Hin & Hf). apply in_app_or in Hin as [Hin | [-> | []]]; eauto.
  - intros [(f & Hin & Hf) | H]; [exists f | exists e]; rewrite in_app_iff; simpl; auto.
Qed.

Lemma joined_is_exited tr u : exits_well_formed tr -> joined tr u -> exited tr u.
Proof.
  induction tr as [| e tr IH] using rev_ind; intros Hw Hj; [destruct Hj as (f & [] & _) |].
  apply exits_well_formed_snoc in Hw as [Hw [_ Hl]]. rewrite joined_snoc in Hj. rewrite exited_snoc. left.
  destruct Hj as [Hj | Hj]; [auto |]. now rewrite Hj in Hl.
Qed.

Theorem exits_well_formed_is_well_formed tr : exits_well_formed tr -> well_formed tr.
Proof.
  induction tr as [| e tr IH] using rev_ind; intro Hw; [apply well_formed_nil |].
  apply exits_well_formed_snoc in Hw as [Hw [Hlive Hl]]. apply well_formed_snoc. split; [auto |].
  split; [intro Hj; apply Hlive, joined_is_exited; assumption |].
  destruct (action e) as [x | x | m | m | u | u | |]; auto.
  - destruct Hl as (Hne & Hr & Hf). repeat split; auto. intro Hj.
    destruct (joined_is_exited _ _ Hw Hj) as (a & Hin & Ha & _). apply Hr. exists a. auto.
  - intros ->. contradiction.
Qed.

(** ** The algorithm *)

Record state := State { detector : VC.state; gone : PM.t unit }.

Definition initial : state := State VC.initial (PM.empty _).

Definition leave (X : PM.t unit) (e : event) : PM.t unit :=
  match action e with
  | End => PM.add (thread e) tt X
  | _ => X
  end.

Inductive step : state -> event -> state -> Prop :=
| ExitStep v v' X e :
    PM.mem (thread e) X = false ->
    (forall u, action e = Join u -> PM.mem u X = true) ->
    VC.step LeaveChild v e v' ->
    step (State v X) e (State v' (leave X e)).

Inductive steps : trace -> state -> Prop :=
| steps_nil : steps [] initial
| steps_snoc tr s1 e s2 : steps tr s1 -> step s1 e s2 -> steps (tr ++ [e]) s2.

Definition leave_all (tr : trace) : PM.t unit := fold_left leave tr (PM.empty _).

Lemma leave_all_snoc tr e : leave_all (tr ++ [e]) = leave (leave_all tr) e.
Proof. unfold leave_all. now rewrite fold_left_app. Qed.

Lemma mem_leave_all tr u : PM.mem u (leave_all tr) = true <-> exited tr u.
Proof.
  induction tr as [| e tr IH] using rev_ind.
  - change (leave_all []) with (PM.empty unit). rewrite PM.mem_find, PM.gempty. split; [discriminate | intros (f & [] & _)].
  - rewrite leave_all_snoc, exited_snoc, <- IH. unfold leave.
    destruct (action e); try (intuition discriminate).
    rewrite !PM.mem_find. destruct (Pos.eq_dec u (thread e)) as [-> | Hne].
    + rewrite PM.gss. tauto.
    + rewrite PM.gso by assumption. intuition congruence.
Qed.

Lemma steps_are_vector_clock_steps tr v X :
  steps tr (State v X) -> VC.steps LeaveChild VC.initial tr v /\ X = leave_all tr.
Proof.
  remember (State v X) as s eqn:E. intro H. revert v X E.
  induction H as [| tr s1 e s2 H IH Hstep]; intros v X E.
  - injection E as <- <-. split; [constructor | reflexivity].
  - destruct Hstep as [v1 v2 X1 e Hm Hj Hv]. injection E as <- <-. destruct (IH _ _ eq_refl) as [H1 ->].
    split; [econstructor; eassumption | symmetry; apply leave_all_snoc].
Qed.

Lemma vector_clock_steps_are_steps tr v :
  exits_well_formed tr -> VC.steps LeaveChild VC.initial tr v -> steps tr (State v (leave_all tr)).
Proof.
  revert v. induction tr as [| e tr IH] using rev_ind; intros v Hw Hv.
  - apply VC.steps_nil_inv in Hv as ->. constructor.
  - apply VC.steps_snoc_inv in Hv as (v1 & H1 & H2). apply exits_well_formed_snoc in Hw as [Hw [Hlive Hl]].
    apply steps_snoc with (s1 := State v1 (leave_all tr)); [auto |]. rewrite leave_all_snoc.
    constructor; [| | assumption].
    + apply not_true_is_false. now rewrite mem_leave_all.
    + intros u Hu. rewrite Hu in Hl. now apply mem_leave_all.
Qed.

(** ** Theorem 3 *)

Theorem multi_join_sound_and_complete tr :
  exits_well_formed tr -> ((exists s, steps tr s) <-> race_free tr).
Proof.
  intro Hw. rewrite <- (VC.vector_clock_sound_and_complete LeaveChild)
    by (apply exits_well_formed_is_well_formed, Hw).
  split.
  - intros [[v X] H]. apply steps_are_vector_clock_steps in H as [H _]. eauto.
  - intros [v H]. eauto using vector_clock_steps_are_steps.
Qed.

Theorem multi_join_stuck_iff_racy tr e s :
  exits_well_formed (tr ++ [e]) -> steps tr s ->
  ((forall s', ~ step s e s') <-> racy (tr ++ [e]) (length tr)).
Proof.
  intros Hw Hs. pose proof (exits_well_formed_is_well_formed _ Hw) as Hwf.
  apply exits_well_formed_snoc in Hw as [Hw [Hlive Hl]].
  destruct s as [v X]. apply steps_are_vector_clock_steps in Hs as [Hv ->].
  rewrite <- (VC.vector_clock_stuck_iff_racy LeaveChild tr e v Hwf Hv). split.
  - intros H v' Hstep. apply (H (State v' (leave (leave_all tr) e))). constructor; [| | assumption].
    + apply not_true_is_false. now rewrite mem_leave_all.
    + intros u Hu. rewrite Hu in Hl. now apply mem_leave_all.
  - intros H s' Hstep. remember (State v (leave_all tr)) as s eqn:E. destruct Hstep as [v1 v2 X1 e _ _ Hstep].
    injection E as -> ->. exact (H _ Hstep).
Qed.

Theorem multi_join_without_exits tr :
  well_formed tr -> ((exists v, VC.steps LeaveChild VC.initial tr v) <-> race_free tr).
Proof. apply VC.vector_clock_sound_and_complete. Qed.
