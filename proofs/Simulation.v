(** * Simulation

    Figure 12 of "Verifying Dynamic Race Detection": a source program and its instrumentation take the same steps, where the steps of
    the latter are bigger steps, until VectorClock detects a race of the source program.

    - [step_simulated], [own_failure]: from the source program to the instrumented one.
    - [big_step_simulates], [big_error_simulates]: the other way.

    C++ twin: none. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace ClockOrder Mini Instrument Ownership Solo BiggerStep Discipline Encoding SectionSteps.

Section Simulation.

Context (ids : list tid).

(** ** From the source program to the instrumented one *)

(** A step of the source program: the instrumented program follows, or, if VectorClock sees a race, fails. *)
Theorem step_simulated tr a p t o a' :
  simulates ids tr a p -> step a t o (Running a') -> answers ids tr o a' p t.
Proof.
  intros Hsim (i & c & G & Hp & -> & He). destruct (sim_source _ _ _ _ Hsim _ _ _ Hp) as (_ & _ & hs & Hc).
  inversion Hc; subst; cbn [label].
  - pose proof (do_assign _ _ _ _ _ _ _ He) as Ea. eapply step_plain; [exact Hsim | exact Hp | exact He | reflexivity | reflexivity | discriminate | | exact Ea].
    intros K Hown Hb. eexists. split; [| apply can_assign]. intro w. unfold assign.
    destruct (local_dec (Own w) (Own a0)) as [E | E]; [rewrite E, !set_same; now apply eval_same |].
    rewrite !set_other by assumption. apply Hown.
  - eapply step_load; eauto.
  - eapply step_store; eauto.
  - apply (step_lock ids tr a p Hsim t _ c G Hp a' He m eq_refl).
  - apply (step_unlock ids tr a p Hsim t _ c G Hp a' He m eq_refl).
  - apply (step_spawn ids tr a p Hsim t _ c G Hp a' He u body eq_refl).
  - apply (step_wait ids tr a p Hsim t _ c G Hp a' He u eq_refl).
  - destruct (do_assert _ _ _ _ _ _ _ He) as [Hle Ea]. eapply step_plain; [exact Hsim | exact Hp | exact He | reflexivity | reflexivity | discriminate | | exact Ea].
    intros K Hown Hb. exists K. split; [exact Hown |]. apply can_pass. rewrite !(eval_same _ G K) by assumption. exact Hle.
Qed.

(** An assertion of the source program that fails, fails in the instrumented one. *)
Theorem own_failure tr a p t : simulates ids tr a p -> step a t None Error -> big_error ids p t.
Proof.
  intros Hsim (i & c & G & Hp & _ & He).
  destruct (pool_b ids tr a p Hsim t i c G Hp) as (K & Hb & Hown).
  destruct (sim_source _ _ _ _ Hsim _ _ _ Hp) as (_ & _ & hs & Hc).
  assert (Hfail : exists e1 e2, i = Assert e1 e2 /\ eval G e2 < eval G e1) by (inversion He; subst; eauto).
  destruct Hfail as (e1 & e2 & -> & Hlt).
  assert (He1 : own_expr e1 /\ own_expr e2) by (inversion Hc; auto). destruct He1 as [He1 He2].
  exists (Assert e1 e2), c, K, 0, (now p). split; [apply (sim_left _ _ _ _ Hsim _ _ _ Hp) |]. split; [exact Hb |].
  split; [simpl; lia |]. split; [constructor |]. exists (Assert e1 e2), (instrument_thread ids t c), K.
  split; [exact Hb |]. split; [reflexivity |].
  rewrite <- (eval_same e1 G K He1 Hown), <- (eval_same e2 G K He2 Hown) in Hlt. destruct (now p). now constructor.
Qed.

(** ** From the instrumented program to the source *)

Lemma big_step_enabled tr a p t q : simulates ids tr a p -> big_step ids p t q -> exists o a', step a t o (Running a').
Proof.
  intros Hsim (i & c & K & Hl & Hb & Hsolo & _).
  pose proof (similar_threads _ _ _ (sim_similar _ _ _ _ Hsim) t) as Ht. rewrite Hb in Ht.
  destruct (pool a t) as [[c' G] |] eqn:Hp; [| destruct Ht]. destruct Ht as [_ Hown].
  pose proof (sim_left _ _ _ _ Hsim _ _ _ Hp) as Hl'. rewrite Hl in Hl'. injection Hl' as <-.
  destruct (sim_source _ _ _ _ Hsim _ _ _ Hp) as (_ & _ & hs & Hc).
  assert (Hdo : forall r, effect t i c G a r -> exists o, step a t o r).
  { intros r Hr. exists (label t i), i, c, G. auto. }
  assert (Hfirst : forall j d, section ids t i = j :: d -> exists x, effect t j (d ++ instrument_thread ids t c) K (now p) (Running x)).
  { intros j d Ej. destruct (solo_prefix _ _ _ 1 _ _ Hsolo) as (x & Hx & _); [rewrite Ej; simpl; lia |].
    inversion Hx as [| n y z k e L z' Hs Hpk _ Hk]; subst. inversion Hs; subst.
    rewrite Hb, instrument_cons, Ej in Hpk. injection Hpk as <- <- <-. eauto. }
  assert (Hlast : forall l j, section ids t i = l ++ [j] -> Forall is_local l ->
    (exists K' D', exec l K (data (now p)) = Some (K', D')) ->
    exists x y L, effect t j (instrument_thread ids t c) L x (Running y) /\ held x = held (now p) /\
      forall u, u <> t -> pool x u = pool (now p) u).
  { intros l j Ej Hlo (K' & D' & Hx).
    assert (Hb' : pool (now p) t = Some (l ++ j :: instrument_thread ids t c, K)).
    { rewrite Hb, instrument_cons, Ej, <- app_assoc. reflexivity. }
    destruct (releasing_section p t K l j _ Hb' Hlo K' D' Hx) as (b1 & Hs1 & (A1 & A2 & _ & A4) & _).
    destruct (solo_prefix _ _ _ (length l) _ _ Hsolo) as (x & Hx1 & Hx2); [rewrite Ej, app_length; simpl; lia |].
    rewrite (solo_functional _ _ _ _ _ _ _ Hx1 Hs1) in Hx2. rewrite Ej, app_length in Hx2. simpl in Hx2.
    replace (length l + 1 - length l) with 1 in Hx2 by lia.
    inversion Hx2 as [| n y z k e L z' Hs Hpk _ Hk]; subst. inversion Hs; subst.
    rewrite A1 in Hpk. injection Hpk as <- <- <-. exists z, (now q), K'. auto. }
  pose proof (sim_similar _ _ _ _ Hsim) as [Hst _ Hsh].
  destruct a as [P D H]. simpl in Hst, Hsh. inversion Hc; subst.
  - destruct (Hdo _ (DoAssign t P D H c G (Own a) e)). eauto.
  - destruct (Hdo _ (DoLoad t P D H c G (Own a) (Shared x))). eauto.
  - destruct (Hdo _ (DoStore t P D H c G e (Shared x))). eauto.
  - destruct (Hfirst _ _ eq_refl) as (y & Hy). destruct (do_lock _ _ _ _ _ _ Hy) as [Hm _]. rewrite Hsh in Hm.
    destruct (Hdo _ (DoLock t P D H c G (User m) Hm)). eauto.
  - destruct (exec_set_clock ids (ThreadClock t) (LockClock m) K (data (now p))) as (K1 & D1 & E1 & _); [discriminate | congruence |].
    destruct (exec_increment (ThreadClock t t) K1 D1) as (K2 & E2 & _).
    destruct (Hlast (set_clock ids (ThreadClock t) (LockClock m) ++ increment (ThreadClock t t)) (Unlock (User m)))
      as (x & y & L & Hy & Hx & _).
    + rewrite <- app_assoc. reflexivity.
    + apply Forall_app; split; [apply set_clock_local | apply increment_local].
    + do 2 eexists. rewrite exec_app, E1. exact E2.
    + destruct (do_unlock _ _ _ _ _ _ Hy) as [Hm _]. rewrite Hx, Hsh in Hm.
      destruct (Hdo _ (DoUnlock t P D H c G (User m) Hm)). eauto.
  - set (l := merge ids (ThreadClock t) (ThreadClock u) ++ increment (ThreadClock t t)) in *.
    assert (Esec : section ids t (Spawn u body) = l ++ [Spawn u (instrument_thread ids u body)]).
    { unfold l. rewrite <- app_assoc. reflexivity. }
    assert (Hut : u <> t).
    { intros ->. rewrite Esec, app_length, Nat.add_1_r in Hsolo. inversion Hsolo as [| n y x k e L z' Hs Hpk _ Hk]; subst.
      rewrite instrument_cons, Esec, <- app_assoc in Hb.
      destruct (solo_code _ _ _ _ _ _ _ Hs Hb) as (_ & L' & Hcode).
      rewrite Hpk, skipn_app, skipn_all, Nat.sub_diag in Hcode. injection Hcode as -> _ _. destruct (do_spawn _ _ _ _ _ _ _ Hk) as [Hno _]. congruence. }
    destruct (exec_merge ids (ThreadClock t) (ThreadClock u) K (data (now p))) as (K1 & D1 & E1 & _); [congruence | congruence |].
    destruct (exec_increment (ThreadClock t t) K1 D1) as (K2 & E2 & _).
    destruct (Hlast l (Spawn u (instrument_thread ids u body))) as (x & y & L & Hy & _ & Hx).
    + exact Esec.
    + apply Forall_app; split; [apply merge_local | apply increment_local].
    + do 2 eexists. unfold l. rewrite exec_app, E1. exact E2.
    + destruct (do_spawn _ _ _ _ _ _ _ Hy) as [Hno _]. rewrite Hx in Hno by assumption.
      specialize (Hst u). rewrite Hno in Hst. destruct (P u) as [[cu Gu] |] eqn:Epu; [destruct Hst |].
      destruct (Hdo _ (DoSpawn t P D H c G u body Epu)). eauto.
  - destruct (Hfirst _ _ eq_refl) as (y & Hy). destruct (do_wait _ _ _ _ _ _ Hy) as [[Ku Hu] _].
    specialize (Hst u). rewrite Hu in Hst. destruct (P u) as [[cu Gu] |] eqn:Epu; [| destruct Hst].
    assert (cu = []) as ->.
    { destruct Hst as [Hst _]. destruct cu as [| j cu]; [reflexivity |]. rewrite instrument_cons in Hst.
      apply (f_equal (@length instr)) in Hst. rewrite app_length in Hst. simpl in Hst. pose proof (section_nonempty ids u j). lia. }
    destruct (Hdo _ (DoWait t P D H c G u Gu Epu)). eauto.
  - destruct (Hfirst _ _ eq_refl) as (y & Hy). destruct (do_assert _ _ _ _ _ _ _ Hy) as [Hle _].
    rewrite !(eval_same _ G K) in Hle by assumption. destruct (Hdo _ (DoAssert t P D H c G e1 e2 Hle)). eauto.
Qed.

(** A bigger step is a step of the source program that does not race. *)
Theorem big_step_simulates tr a p t q :
  simulates ids tr a p -> big_step ids p t q ->
  exists o a', step a t o (Running a') /\ simulates ids (tr ++ event_list o) a' q /\
    forall e, o = Some e -> VC.races (VC.record_all LeaveChild tr) e = false.
Proof.
  intros Hsim Hbig. destruct (big_step_enabled _ _ _ _ _ Hsim Hbig) as (o & a' & Hstep). exists o, a'. split; [exact Hstep |].
  pose proof (step_simulated _ _ _ _ _ _ Hsim Hstep) as Hans.
  assert (Hfollow : forall tr', follows ids tr' a' p t -> simulates ids tr' a' q).
  { intros tr' (q' & Hq' & Hs). now rewrite (big_step_functional _ _ _ _ _ Hbig Hq'). }
  destruct o as [e |]; simpl in *.
  - destruct (VC.races _ e) eqn:Er; [destruct (big_step_no_error _ _ _ _ Hbig Hans) |].
    split; [auto |]. intros f [= <-]. exact Er.
  - rewrite app_nil_r. split; [auto | discriminate].
Qed.

Lemma section_asserts t i e1 e2 : In (Assert e1 e2) (section ids t i) ->
  match i with
  | Load _ _ | Store _ _ | Assert _ _ => True
  | _ => False
  end.
Proof.
  assert (Hmove : forall f (g : tid -> code), (forall v, ~ In (Assert e1 e2) (g v)) -> ~ In (Assert e1 e2) (flat_map g f)).
  { intros f g H Hj. apply in_flat_map in Hj as (v & _ & Hj). eapply H; eauto. }
  assert (H1 : forall a b, ~ In (Assert e1 e2) (set_clock ids a b)).
  { intros a b. apply Hmove. simpl. intuition discriminate. }
  assert (H2 : forall a b, ~ In (Assert e1 e2) (merge ids a b)).
  { intros a b. apply Hmove. simpl. intuition discriminate. }
  destruct i as [r e | r l | e l | m | m | u body | u | e3 e4]; try (intros; exact I).
  - simpl. intuition discriminate.
  - destruct m; simpl; [intros [H | H]; [discriminate | exact (H2 _ _ H)] | intuition discriminate].
  - destruct m; simpl; [| intuition discriminate]. rewrite in_app_iff. simpl. intros [H | H]; [exact (H1 _ _ H) | intuition discriminate].
  - simpl. rewrite in_app_iff. simpl. intros [H | H]; [exact (H2 _ _ H) | intuition discriminate].
  - simpl. intros [H | H]; [discriminate | exact (H2 _ _ H)].
Qed.

(** A bigger step that fails is a step of the source program that races, or an assertion of its own that fails. *)
Theorem big_error_simulates tr a p t :
  simulates ids tr a p -> big_error ids p t ->
  step a t None Error \/
  exists e a', step a t (Some e) (Running a') /\ VC.races (VC.record_all LeaveChild tr) e = true.
Proof.
  intros Hsim Herr. pose proof Herr as (i & c & K & n & x & Hl & Hb & Hn & Hsolo & Hstep).
  pose proof (similar_threads _ _ _ (sim_similar _ _ _ _ Hsim) t) as Ht. rewrite Hb in Ht.
  destruct (pool a t) as [[c' G] |] eqn:Hp; [| destruct Ht]. destruct Ht as [_ Hown].
  pose proof (sim_left _ _ _ _ Hsim _ _ _ Hp) as Hl'. rewrite Hl in Hl'. injection Hl' as <-.
  destruct (sim_source _ _ _ _ Hsim _ _ _ Hp) as (_ & _ & hs & Hc).
  assert (Hin : exists e1 e2, In (Assert e1 e2) (section ids t i)).
  { destruct Hstep as (j & d & L & Hpj & _ & Hj). destruct (solo_code _ _ _ _ _ _ _ Hsolo Hb) as (_ & L' & Hcode).
    rewrite Hpj, instrument_cons, skipn_app in Hcode. injection Hcode as Hcode _.
    destruct (skipn n (section ids t i)) as [| k r] eqn:Es.
    - apply (f_equal (@length instr)) in Es. rewrite skipn_length in Es. simpl in Es. lia.
    - simpl in Hcode. injection Hcode as <- _. inversion Hj; subst. exists e1, e2.
      rewrite <- (firstn_skipn n (section ids t i)), Es. apply in_or_app. right. left. reflexivity. }
  destruct Hin as (e1 & e2 & Hin). apply section_asserts in Hin.
  assert (Haccess : forall e a', step a t (Some e) (Running a') ->
    exists f b, step a t (Some f) (Running b) /\ VC.races (VC.record_all LeaveChild tr) f = true).
  { intros e a' Hs. pose proof (step_simulated _ _ _ _ _ _ Hsim Hs) as Hans. simpl in Hans.
    destruct (VC.races _ e) eqn:Er; [eauto |]. destruct Hans as (q & Hq & _). destruct (big_step_no_error _ _ _ _ Hq Herr). }
  destruct a as [P D H]. inversion Hc; subst; try contradiction.
  - right. eapply Haccess. do 3 eexists. split; [exact Hp |]. split; [reflexivity | constructor].
  - right. eapply Haccess. do 3 eexists. split; [exact Hp |]. split; [reflexivity | constructor].
  - destruct (le_lt_dec (eval G e0) (eval G e3)) as [Hle | Hlt].
    + exfalso. assert (Hs : step (State P D H) t None (Running (State (put P t (Some (c, G))) D H))).
      { do 3 eexists. split; [exact Hp |]. split; [reflexivity | now constructor]. }
      destruct (step_simulated _ _ _ _ _ _ Hsim Hs) as (q & Hq & _). exact (big_step_no_error _ _ _ _ Hq Herr).
    + left. do 3 eexists. split; [exact Hp |]. split; [reflexivity | now constructor].
Qed.

End Simulation.
