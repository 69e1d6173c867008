(** * Executions have well-formed traces

    The labels of an execution of the small language are a well-formed trace ([labels_well_formed]), so theorems about traces apply
    to them: an execution has a first race, or none ([first_race_of_run]).

    C++ twin: none. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore ClockOrder Mini Instrument Ownership.
From Omen Require VectorClock.
Module VC := VectorClock.

(** The invariant of the state and the labels that led to it. *)
Record traced (tr : trace) (a : state) : Prop := {
  traced_wf : well_formed tr;
  traced_held : forall m, holder tr m = match held a (User m) with Some t => Some (t, 0) | None => None end;
  traced_new : forall u, pool a u = None -> ~ ran tr u /\ ~ forked tr u;
  traced_joined : forall u, joined tr u -> finished a u
}.

Lemma ran_snoc tr e u : ran (tr ++ [e]) u <-> ran tr u \/ thread e = u.
Proof.
  unfold ran. split.
  - intros (f & Hin & Hf). apply in_app_or in Hin as [Hin | [-> | []]]; eauto.
  - intros [(f & Hin & Hf) | H]; [exists f | exists e]; rewrite in_app_iff; simpl; auto.
Qed.

Lemma forked_snoc tr e u : forked (tr ++ [e]) u <-> forked tr u \/ action e = Fork u.
Proof.
  unfold forked. split.
  - intros (f & Hin & Hf). apply in_app_or in Hin as [Hin | [-> | []]]; eauto.
  - intros [(f & Hin & Hf) | H]; [exists f | exists e]; rewrite in_app_iff; simpl; auto.
Qed.

Lemma traced_initial init prog : traced [] (initial init prog).
Proof.
  split; [apply well_formed_nil | reflexivity | |].
  - intros u _. split; intros (e & [] & _).
  - intros u (e & [] & _).
Qed.

Lemma traced_step tr a t o a' : traced tr a -> step a t o (Running a') -> traced (tr ++ event_list o) a'.
Proof.
  intros [Hwf Hheld Hnew Hjoined] (i & c & G & Hp & -> & He).
  pose proof (finished_stays a t i c G Hp a' He) as Hfin.
  assert (Hpool : forall u, pool a' u = None -> pool a u = None /\ u <> t).
  { intros u Hu. destruct (Pos.eq_dec u t) as [-> | Hne]; [rewrite (pool_after _ _ _ _ _ _ He) in Hu; discriminate |].
    split; [| assumption]. destruct (pool_other _ _ _ _ _ _ He u Hne) as [E | (body & _ & E & _)]; congruence. }
  destruct (label t i) as [e |] eqn:El; cbn [event_list].
  2: { rewrite app_nil_r. split; auto; [| intros u Hu; apply Hnew, Hpool, Hu].
       intro m. rewrite Hheld. destruct (held_after _ _ _ _ _ _ He (User m)) as [-> | [(-> & _) | (-> & _)]];
         [reflexivity | discriminate | discriminate]. }
  assert (Ht : thread e = t).
  { destruct i as [r x | r [] | x [] | [] | [] | u b | u | x y]; simpl in El; try discriminate; injection El as <-; reflexivity. }
  assert (Hlive : ~ joined tr t) by (intro Hj; destruct (Hjoined t Hj) as [K HK]; congruence).
  assert (Hlegal : legal tr e).
  { split; [rewrite Ht; exact Hlive |].
    destruct i as [r x | r [] | x [] | [] | [] | u b | u | x y]; simpl in El; try discriminate; injection El as <-; simpl; auto.
    - left. rewrite Hheld. inversion He; subst. simpl in *. match goal with H : _ (User m) = None |- _ => now rewrite H end.
    - exists 0. rewrite Hheld. inversion He; subst. simpl in *. match goal with H : _ (User m) = Some _ |- _ => now rewrite H end.
    - assert (Hu : pool a u = None) by (inversion He; subst; assumption). destruct (Hnew u Hu) as [H1 H2].
      split; [intros ->; congruence |]. split; [exact H1 |]. split; [exact H2 |].
      intro Hj. destruct (Hjoined u Hj) as [K HK]. congruence.
    - intros ->. inversion He; subst. simpl in *. congruence. }
  split.
  - apply well_formed_snoc. auto.
  - intro m. rewrite holder_snoc. unfold hold_step. rewrite Ht, Hheld.
    destruct (held_after _ _ _ _ _ _ He (User m)) as [E | [(Ei & E1 & E2) | (Ei & E1 & E2)]].
    + rewrite E. destruct i as [r x | r [] | x [] | [] | [] | u b | u | x y]; simpl in El; try discriminate; injection El as <-;
        simpl; try reflexivity.
      * destruct (Pos.eqb_spec m m0) as [-> |]; [| reflexivity]. exfalso. inversion He; subst. simpl in *.
        unfold hold in E. rewrite set_same in E. congruence.
      * destruct (Pos.eqb_spec m m0) as [-> |]; [| reflexivity]. exfalso. inversion He; subst. simpl in *.
        unfold hold in E. rewrite set_same in E. congruence.
    + subst i. simpl in El. injection El as <-. simpl. rewrite Pos.eqb_refl, E1, E2. reflexivity.
    + subst i. simpl in El. injection El as <-. simpl. rewrite Pos.eqb_refl, E1, E2. reflexivity.
  - intros u Hu. destruct (Hpool u Hu) as [Hu' Hne]. destruct (Hnew u Hu') as [H1 H2].
    rewrite ran_snoc, forked_snoc, Ht. split; [intros [H | H]; [auto | congruence] |]. intros [H | H]; [auto |].
    destruct i as [r x | r [] | x [] | [] | [] | v b | v | x y]; simpl in El; try discriminate; injection El as <-; try discriminate.
    simpl in H. injection H as ->. inversion He; subst. simpl in Hu. unfold put in Hu.
    rewrite set_other, set_same in Hu by assumption. discriminate.
  - intros u Hj. apply joined_snoc in Hj as [Hj | Hj]; [auto |].
    destruct i as [r x | r [] | x [] | [] | [] | v b | v | x y]; simpl in El; try discriminate; injection El as <-; try discriminate.
    simpl in Hj. injection Hj as ->. apply Hfin. inversion He; subst. eexists. eassumption.
Qed.

Section Run.

Context (init : var -> nat) (prog : code).

Lemma traced_run tr a : run (initial init prog) tr a -> traced tr a.
Proof. induction 1 as [| tr a t o a' _ IH H]; [apply traced_initial | eauto using traced_step]. Qed.

Theorem labels_well_formed tr a : run (initial init prog) tr a -> well_formed tr.
Proof. intro H. apply (traced_wf _ _ (traced_run _ _ H)). Qed.

Lemma label_well_formed tr a t e a' :
  run (initial init prog) tr a -> step a t (Some e) (Running a') -> well_formed (tr ++ [e]).
Proof. intros H Hs. eapply labels_well_formed. exact (run_snoc _ _ _ _ (Some e) _ H Hs). Qed.

(** VectorClock's check of the next step agrees with the definition of a race. *)
Lemma races_iff_racy tr a t e a' :
  run (initial init prog) tr a -> step a t (Some e) (Running a') ->
  (VC.races (VC.record_all LeaveChild tr) e = true <-> racy (tr ++ [e]) (length tr)).
Proof. intros H Hs. apply VC.reports_exactly_the_races. eapply label_well_formed; eassumption. Qed.

Lemma race_free_nil : race_free [].
Proof. intros j Hj. apply racy_lt in Hj. simpl in Hj. lia. Qed.

(** An execution without races stays so, or its next event is the first that races. *)
Theorem first_race_of_run tr a :
  run (initial init prog) tr a ->
  race_free tr \/
  exists pre b t e b', run (initial init prog) pre b /\ race_free pre /\ step b t (Some e) (Running b') /\
    racy (pre ++ [e]) (length pre).
Proof.
  induction 1 as [| tr a t o a' H IH Hs]; [left; apply race_free_nil |].
  destruct IH as [IH | IH]; [| right; exact IH].
  destruct o as [e |]; cbn [event_list]; [| rewrite app_nil_r; auto].
  pose proof (label_well_formed _ _ _ _ _ H Hs) as Hw.
  destruct (VC.racy_last_dec tr e Hw) as [Hr | Hr]; [right; exists tr, a, t, e, a'; auto |].
  left. apply race_free_snoc; auto.
Qed.

End Run.
