(** * The instrumentation is correct

    Theorems 4 and 5 of "Verifying Dynamic Race Detection", per execution, and their consequences for users.

    - [race_free_bisimulation] (Theorem 4): the executions of the instrumented program that end are, up to metadata, the race-free
      executions of the source program that end.
    - [instrumented_fails], [source_races] (Theorem 5): the instrumented program fails an assertion of thread t iff the source
      program reaches, without a race, a related state in which VectorClock is stuck on the next event of t.
    - [executions_are_related]: the structure of every execution of the instrumented program, complete or not.
    - [race_detection]: some execution of the instrumented program fails iff some execution of the source program races.
    - [same_results]: and if none does, both have the same results.

    A source program may have assertions of its own.  They fail in both programs, or, after a race, in neither.

    C++ twin: [instrument]; the statements are tested in test/mini/instrument_test.cpp. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore ClockOrder Mini Instrument Ownership Solo BiggerStep Discipline Encoding
  SectionSteps Simulation Executions.

Section Program.

Context (init : var -> nat) (prog : code) (Hprog : well_formed_program prog).

Let ids := threads_of prog.
Let source := initial init prog.
Let instrumented := initial init (instrument prog).
Let start : config := config0 ids init prog.

Lemma start_disciplined : disciplined (now start).
Proof. apply instrumented_disciplined, Hprog. Qed.

Lemma start_at_sections : at_sections ids start.
Proof. apply initial_at_sections. Qed.

Lemma start_simulates : simulates ids [] source start.
Proof.
  assert (Hmain : forall t c G, pool source t = Some (c, G) -> t = main /\ c = prog /\ G = env0).
  { intros t c G H. simpl in H. unfold put in H. destruct (Pos.eq_dec t main) as [-> | Hne].
    - rewrite set_same in H. injection H as <- <-. auto.
    - rewrite set_other in H by assumption. discriminate. }
  split.
  - split; [| reflexivity | reflexivity]. intro t. simpl. unfold put. destruct (Pos.eq_dec t main) as [-> | Hne].
    + rewrite !set_same. split; [reflexivity | apply same_own_refl].
    + now rewrite !set_other by assumption.
  - intros t c G H. destruct (Hmain _ _ _ H) as (-> & -> & _). reflexivity.
  - intros t c G H. destruct (Hmain _ _ _ H) as (-> & -> & _). split; [apply in_threads_of; left; reflexivity |].
    split; [intros u Hu; apply in_threads_of; right; exact Hu |]. exists []. apply Hprog.
  - reflexivity.
  - apply encodes_initial.
Qed.

(** ** Bigger steps and the source program *)

Lemma big_steps_are_runs p :
  big_steps ids start p -> exists tr a, run source tr a /\ race_free tr /\ simulates ids tr a p.
Proof.
  induction 1 as [| p t q _ IH Hbig].
  - exists [], source. split; [constructor |]. split; [apply race_free_nil | apply start_simulates].
  - destruct IH as (tr & a & Hrun & Hfree & Hsim).
    destruct (big_step_simulates _ _ _ _ _ _ Hsim Hbig) as (o & a' & Hs & Hsim' & Hno).
    exists (tr ++ event_list o), a'. split; [econstructor; eassumption |]. split; [| assumption].
    destruct o as [e |]; cbn [event_list]; [| now rewrite app_nil_r].
    apply race_free_snoc; [eapply label_well_formed; eassumption |]. split; [assumption |].
    rewrite <- (races_iff_racy init prog _ _ _ _ _ Hrun Hs), (Hno e eq_refl). discriminate.
Qed.

Lemma runs_are_big_steps tr a :
  run source tr a -> race_free tr -> exists p, big_steps ids start p /\ simulates ids tr a p.
Proof.
  induction 1 as [| tr a t o a' Hrun IH Hs]; intro Hfree.
  - exists start. split; [constructor | apply start_simulates].
  - assert (Hpre : race_free tr /\ forall e, o = Some e -> VC.races (VC.record_all LeaveChild tr) e = false).
    { destruct o as [e |]; cbn [event_list] in Hfree; [| rewrite app_nil_r in Hfree; split; [assumption | discriminate]].
      apply race_free_snoc in Hfree as [H1 H2]; [| eapply label_well_formed; eassumption]. split; [assumption |].
      intros f [= <-]. destruct (VC.races _ e) eqn:Er; [| reflexivity].
      exfalso. apply H2. apply (races_iff_racy init prog _ _ _ _ _ Hrun Hs), Er. }
    destruct Hpre as [Hpre Hno]. destruct (IH Hpre) as (p & Hbig & Hsim).
    pose proof (step_simulated _ _ _ _ _ _ _ Hsim Hs) as Hans.
    assert (Hf : follows ids (tr ++ event_list o) a' p t).
    { destruct o as [e |]; simpl in *; [now rewrite (Hno e eq_refl) in Hans | now rewrite app_nil_r]. }
    destruct Hf as (q & Hq & Hsim'). exists q. split; [econstructor; eassumption | exact Hsim'].
Qed.

(** Every execution of the instrumented program, with related states: its complete sections are the race-free
    execution of the source program to [a], and the rest are sections that have been begun. *)
Theorem executions_are_related b :
  steps instrumented b ->
  exists tr a p b', run source tr a /\ race_free tr /\ big_steps ids start p /\ similar ids a (now p) /\
    suffix_of ids b p /\ steps (now p) b' /\ forall r, look b' r = look b r.
Proof.
  intro Hb. destruct (reordering ids start b start_disciplined start_at_sections Hb) as (p & Hbig & Hso).
  destruct (big_steps_are_runs p Hbig) as (tr & a & Hrun & Hfree & Hsim).
  destruct (suffix_reached ids b p (nodup Pos.eq_dec ids) Hso) as (b' & Hb' & Heq).
  - apply NoDup_nodup.
  - intros t Ht. apply nodup_In. destruct (so_thread _ _ _ Hso t Ht) as (c & T & _ & (K & n & Hp & _) & _).
    pose proof (similar_threads _ _ _ (sim_similar _ _ _ _ Hsim) t) as H. rewrite Hp in H.
    destruct (pool a t) as [[d G] |] eqn:Ea; [| destruct H]. exact (proj1 (sim_source _ _ _ _ Hsim _ _ _ Ea)).
  - exists tr, a, p, b'. split; [assumption |]. split; [assumption |]. split; [assumption |]. split; [apply Hsim | auto].
Qed.

(** ** Theorem 4 *)

Lemma final_similar a b : similar ids a b -> (final a <-> final b).
Proof.
  intros [H _ _]. split; intros Hf t c G Hp; specialize (H t); rewrite Hp in H.
  - destruct (pool a t) as [[c' G'] |] eqn:E; [| destruct H]. destruct H as [-> _]. now rewrite (Hf _ _ _ E).
  - destruct (pool b t) as [[c' G'] |] eqn:E; [| destruct H]. destruct H as [-> _]. specialize (Hf _ _ _ E).
    destruct c as [| i c]; [reflexivity |]. rewrite instrument_cons in Hf.
    apply (f_equal (@length instr)) in Hf. rewrite app_length in Hf. simpl in Hf. pose proof (section_nonempty ids t i). lia.
Qed.

Lemma similar_pointwise a b b' : (forall r, look b r = look b' r) -> similar ids a b -> similar ids a b'.
Proof.
  intros H [H1 H2 H3]. split.
  - intro t. pose proof (H (RThread t)) as E. injection E as E. rewrite <- E. apply H1.
  - intro x. pose proof (H (RCell (Shared x))) as E. injection E as E. rewrite <- E. apply H2.
  - intro m. pose proof (H (RMutex (User m))) as E. injection E as E. rewrite <- E. apply H3.
Qed.

Theorem race_free_bisimulation :
  (forall b, steps instrumented b -> final b ->
     exists tr a, run source tr a /\ race_free tr /\ final a /\ similar ids a b) /\
  (forall tr a, run source tr a -> race_free tr -> final a ->
     exists b, steps instrumented b /\ final b /\ similar ids a b).
Proof.
  split.
  - intros b Hb Hf.
    destruct (reordering_final ids start b start_disciplined start_at_sections Hb Hf) as (p & Hbig & Heq).
    destruct (big_steps_are_runs p Hbig) as (tr & a & Hrun & Hfree & Hsim). exists tr, a.
    assert (Hs : similar ids a b) by (eapply similar_pointwise; [symmetry; apply Heq | apply Hsim]).
    split; [assumption |]. split; [assumption |]. split; [now apply (final_similar a b) | assumption].
  - intros tr a Hrun Hfree Hf. destruct (runs_are_big_steps tr a Hrun Hfree) as (p & Hbig & Hsim).
    exists (now p). split; [exact (big_steps_steps ids _ _ Hbig) |].
    split; [now apply (final_similar a (now p)); [apply Hsim |] | apply Hsim].
Qed.

(** ** Theorem 5 *)

(** By an execution without a race the source program reaches [a], where VectorClock is stuck on the next event of [t]. *)
Definition stuck_at (a : state) (t : tid) : Prop :=
  exists tr e a' v, run source tr a /\ step a t (Some e) (Running a') /\
    VC.steps LeaveChild VC.initial tr v /\ forall v', ~ VC.step LeaveChild v e v'.

(** Or an assertion of its own fails there. *)
Definition fails_itself (a : state) (t : tid) : Prop :=
  exists tr, run source tr a /\ race_free tr /\ step a t None Error.

Lemma stuck_iff_racy tr a t e a' :
  run source tr a -> step a t (Some e) (Running a') -> race_free tr ->
  ((exists v, VC.steps LeaveChild VC.initial tr v /\ forall v', ~ VC.step LeaveChild v e v') <->
   racy (tr ++ [e]) (length tr)).
Proof.
  intros Hrun Hs Hfree. pose proof (label_well_formed _ _ _ _ _ _ _ Hrun Hs) as Hw.
  pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _]. split.
  - intros (v & Hv & Hstuck). now apply (VC.vector_clock_stuck_iff_racy LeaveChild tr e v).
  - intro Hr. apply (VC.vector_clock_sound_and_complete LeaveChild) in Hfree as [v Hv]; [| assumption].
    exists v. split; [assumption |]. now apply (VC.vector_clock_stuck_iff_racy LeaveChild tr e v).
Qed.

Lemma steps_race_free tr v : well_formed tr -> VC.steps LeaveChild VC.initial tr v -> race_free tr.
Proof. intros Hw Hv. apply (VC.vector_clock_sound_and_complete LeaveChild); eauto. Qed.

(** From a failing execution of the instrumented program: [b] is the state before the failure.  Other threads may be in the
    middle of sections there; [p] is the state in which they, and [t], are at the beginning. *)
Theorem instrumented_fails b t o :
  steps instrumented b -> step b t o Error ->
  exists p a, big_steps ids start p /\ suffix_of ids b p /\ big_error ids p t /\ similar ids a (now p) /\
    (stuck_at a t \/ fails_itself a t).
Proof.
  intros Hb He.
  destruct (reordering_error ids start b t o start_disciplined start_at_sections Hb He) as (p & Hbig & Hso & Herr).
  destruct (big_steps_are_runs p Hbig) as (tr & a & Hrun & Hfree & Hsim).
  exists p, a. split; [assumption |]. split; [assumption |]. split; [assumption |]. split; [apply Hsim |].
  destruct (big_error_simulates _ _ _ _ _ Hsim Herr) as [Hown | (e & a' & Hs & Hr)]; [right; exists tr; auto | left].
  apply (races_iff_racy init prog _ _ _ _ _ Hrun Hs), (stuck_iff_racy _ _ _ _ _ Hrun Hs Hfree) in Hr as (v & Hv & Hstuck).
  exists tr, e, a', v. auto.
Qed.

(** From a racy execution of the source program. *)
Theorem source_races a t :
  stuck_at a t \/ fails_itself a t ->
  exists p, big_steps ids start p /\ similar ids a (now p) /\ big_error ids p t.
Proof.
  intros [(tr & e & a' & v & Hrun & Hs & Hv & Hstuck) | (tr & Hrun & Hfree & Hs)].
  - pose proof (steps_race_free tr v (labels_well_formed init prog _ _ Hrun) Hv) as Hfree.
    destruct (runs_are_big_steps tr a Hrun Hfree) as (p & Hbig & Hsim). exists p. split; [assumption |]. split; [apply Hsim |].
    pose proof (step_simulated _ _ _ _ _ _ _ Hsim Hs) as Hans. simpl in Hans.
    rewrite (proj2 (races_iff_racy init prog _ _ _ _ _ Hrun Hs)) in Hans; [assumption |].
    apply (stuck_iff_racy _ _ _ _ _ Hrun Hs Hfree). eauto.
  - destruct (runs_are_big_steps tr a Hrun Hfree) as (p & Hbig & Hsim). exists p. split; [assumption |]. split; [apply Hsim |].
    eapply own_failure; eassumption.
Qed.

Theorem race_detected_bisimulation t :
  (exists b o, steps instrumented b /\ step b t o Error) <-> (exists a, stuck_at a t \/ fails_itself a t).
Proof.
  split.
  - intros (b & o & Hb & He). destruct (instrumented_fails b t o Hb He) as (p & a & _ & _ & _ & _ & H). eauto.
  - intros (a & H). destruct (source_races a t H) as (p & Hbig & _ & Herr).
    destruct (big_error_steps ids p t Herr) as (b & Hb & He). exists b, None.
    split; [exact (steps_trans _ _ _ (big_steps_steps ids _ _ Hbig) Hb) | exact He].
Qed.

(** ** Consequences for users *)

Definition may_race : Prop := exists tr a, run source tr a /\ ~ race_free tr.
Definition may_fail : Prop := exists b t o, steps instrumented b /\ step b t o Error.

(** No assertion of the program itself fails before a race. *)
Definition keeps_assertions : Prop := forall a t, ~ fails_itself a t.

Lemma may_race_iff : may_race <-> exists a t, stuck_at a t.
Proof.
  split.
  - intros (tr & a & Hrun & Hr).
    destruct (first_race_of_run init prog tr a Hrun) as [| (pre & b & t & e & b' & Hpre & Hfree & Hs & Hracy)]; [contradiction |].
    apply (stuck_iff_racy _ _ _ _ _ Hpre Hs Hfree) in Hracy as (v & Hv & Hstuck). exists b, t, pre, e, b', v. auto.
  - intros (a & t & tr & e & a' & v & Hrun & Hs & Hv & Hstuck).
    pose proof (steps_race_free tr v (labels_well_formed init prog _ _ Hrun) Hv) as Hfree.
    exists (tr ++ [e]), a'. split; [exact (run_snoc _ _ _ _ (Some e) _ Hrun Hs) |]. intro H.
    apply (H (length tr)). apply (stuck_iff_racy _ _ _ _ _ Hrun Hs Hfree). eauto.
Qed.

Theorem may_fail_iff : may_fail <-> may_race \/ exists a t, fails_itself a t.
Proof.
  rewrite may_race_iff. split.
  - intros (b & t & o & Hb & He).
    destruct (proj1 (race_detected_bisimulation t) (ex_intro _ b (ex_intro _ o (conj Hb He)))) as (a & [H | H]); [left | right]; eauto.
  - intro H. assert (Hx : exists t a, stuck_at a t \/ fails_itself a t) by (destruct H as [(a & t & H) | (a & t & H)]; eauto).
    destruct Hx as (t & Hx). apply race_detected_bisimulation in Hx as (b & o & Hb & He). exists b, t, o. auto.
Qed.

Corollary race_detection : keeps_assertions -> (may_fail <-> may_race).
Proof. intro Hk. rewrite may_fail_iff. split; [intros [| (a & t & H)]; [assumption | destruct (Hk _ _ H)] | auto]. Qed.

(** The values of the shared variables, and of the threads' local variables. *)
Definition same_values (a b : state) : Prop :=
  (forall x, data b (Shared x) = data a (Shared x)) /\
  (forall t, match pool a t, pool b t with
             | Some (_, G), Some (_, G') => same_own G G'
             | None, None => True
             | _, _ => False
             end).

Lemma similar_values a b : similar ids a b -> same_values a b.
Proof.
  intros [H1 H2 _]. split; [exact H2 |]. intro t. specialize (H1 t).
  destruct (pool a t) as [[c G] |], (pool b t) as [[c' G'] |]; tauto.
Qed.

Corollary same_results :
  ~ may_race ->
  (forall tr a, run source tr a -> final a -> exists b, steps instrumented b /\ final b /\ same_values a b) /\
  (forall b, steps instrumented b -> final b -> exists tr a, run source tr a /\ final a /\ same_values a b).
Proof.
  intros Hno. split.
  - intros tr a Hrun Hf.
    assert (Hfree : race_free tr).
    { destruct (first_race_of_run init prog tr a Hrun) as [| (pre & b & t & e & b' & Hpre & Hfree & Hs & Hr)]; [assumption |].
      destruct Hno. exists (pre ++ [e]), b'. split; [exact (run_snoc _ _ _ _ (Some e) _ Hpre Hs) |]. intro H. exact (H _ Hr). }
    destruct (proj2 race_free_bisimulation tr a Hrun Hfree Hf) as (b & Hb & Hfb & Hs). eauto using similar_values.
  - intros b Hb Hf. destruct (proj1 race_free_bisimulation b Hb Hf) as (tr & a & Hrun & _ & Hfa & Hs).
    exists tr, a. eauto using similar_values.
Qed.

End Program.

(** ** Not vacuous *)

Section Example.

Let x : var := 1%positive.
Let child : tid := 2%positive.
Let racy_program : code := [Spawn child [Store (Num 1) (Shared x)]; Store (Num 2) (Shared x)].

Example racy_program_well_formed : well_formed_program racy_program.
Proof.
  split; [repeat constructor |]. simpl. constructor; [intros [H | []]; discriminate | repeat constructor]. intros [].
Qed.

Example racy_program_races init : may_race init racy_program.
Proof.
  set (e := Event main (Write x)).
  assert (Hrun : exists a a', run (initial init racy_program) [Event main (Fork child); Event child (Write x)] a /\
                              step a main (Some e) (Running a')).
  { do 2 eexists. split.
    - eapply (run_snoc _ [Event main (Fork child)] _ child (Some (Event child (Write x)))).
      + eapply (run_snoc _ [] _ main (Some (Event main (Fork child)))); [apply run_nil |].
        do 3 eexists. split; [reflexivity |]. split; [reflexivity | now constructor].
      + do 3 eexists. split; [reflexivity |]. split; [reflexivity | constructor].
    - do 3 eexists. split; [reflexivity |]. split; [reflexivity | constructor]. }
  destruct Hrun as (a & a' & Hrun & Hs).
  assert (Hracy : racy ([Event main (Fork child); Event child (Write x)] ++ [e]) 2).
  { apply (races_iff_racy init racy_program _ _ _ _ _ Hrun Hs). reflexivity. }
  eexists. exists a'. split; [exact (run_snoc _ _ _ _ (Some e) _ Hrun Hs) |]. intro H. exact (H _ Hracy).
Qed.

Example racy_program_fails init : may_fail init racy_program.
Proof. apply may_fail_iff; [apply racy_program_well_formed | left; apply racy_program_races]. Qed.

End Example.
