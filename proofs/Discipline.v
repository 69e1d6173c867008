(** * Instrumented programs keep the discipline

    The instrumentation of a well-formed program accesses only metadata that its thread owns: [instrumented_disciplined].  So the
    noninterference of Ownership.v and the reordering of BiggerStep.v apply to every instrumented program.

    C++ twin: none. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace Mini Instrument Ownership Solo BiggerStep.

Section Discipline.

Context (ids : list tid).

Lemma forall_flat_map {A B} (P : B -> Prop) (g : A -> list B) l : (forall u, Forall P (g u)) -> Forall P (flat_map g l).
Proof. intro H. induction l as [| u l IH]; simpl; [constructor |]. apply Forall_app. auto. Qed.

Section Macros.

Context (P : instr -> Prop) (Passert : forall e1 e2, P (Assert e1 e2)).

Lemma forall_hb_check a b :
  (forall u v, P (Load v (a u))) -> (forall u v, P (Load v (b u))) -> Forall P (hb_check ids a b).
Proof. intros Ha Hb. apply forall_flat_map. intro u. repeat constructor; auto. Qed.

Lemma forall_merge a b :
  (forall u v, P (Load v (a u))) -> (forall u v, P (Load v (b u))) -> (forall u e, P (Store e (b u))) ->
  Forall P (merge ids a b).
Proof. intros Ha Hb Hs. apply forall_flat_map. intro u. repeat constructor; auto. Qed.

Lemma forall_set_clock a b :
  (forall u v, P (Load v (a u))) -> (forall u e, P (Store e (b u))) -> Forall P (set_clock ids a b).
Proof. intros Ha Hs. apply forall_flat_map. intro u. repeat constructor; auto. Qed.

End Macros.

Lemma spawns_local l : Forall is_local l -> spawns l = [].
Proof.
  induction 1 as [| i l Hi _ IH]; [reflexivity |]. unfold spawns in *. simpl. rewrite IH, app_nil_r.
  destruct i; simpl in *; tauto.
Qed.

Lemma load_checks_local t x : Forall is_local (load_checks ids t x).
Proof.
  unfold load_checks. apply Forall_app. split; [apply forall_hb_check | repeat constructor]; intros; exact I.
Qed.

Lemma store_checks_local t x : Forall is_local (store_checks ids t x).
Proof.
  unfold store_checks. apply Forall_app. split; [apply forall_hb_check; intros; exact I |].
  apply Forall_app. split; [apply forall_hb_check | repeat constructor]; intros; exact I.
Qed.

Lemma merge_local a b : Forall is_local (merge ids a b).
Proof. apply forall_merge; intros; exact I. Qed.

Lemma set_clock_local a b : Forall is_local (set_clock ids a b).
Proof. apply forall_set_clock; intros; exact I. Qed.

Lemma increment_local l : Forall is_local (increment l).
Proof. repeat constructor. Qed.

(** Instrumentation spawns nothing. *)
Lemma spawns_instrumented hs c : source_code hs c -> forall t, spawns (instrument_thread ids t c) = spawns c.
Proof.
  assert (Hcons : forall i d, spawns (i :: d) = spawned i ++ spawns d) by reflexivity.
  assert (Hsec : forall t i d, instrument_thread ids t (i :: d) = section ids t i ++ instrument_thread ids t d) by reflexivity.
  induction 1 as [hs | hs a e c He Hc IH | hs a x c Hc IH | hs e x c He Hc IH | hs m c Hc IH | hs m c Hin Hc IH
    | hs u body c Hb IHb Hc IH | hs u c Hc IH | hs e1 e2 c H1 H2 Hc IH]; intro t; [reflexivity | ..];
    rewrite Hsec, spawns_app, IH, (Hcons _ c); f_equal; simpl; try reflexivity; rewrite ?Hcons, ?spawns_app.
  - rewrite (spawns_local _ (load_checks_local t x)). reflexivity.
  - rewrite (spawns_local _ (store_checks_local t x)). reflexivity.
  - rewrite (spawns_local _ (merge_local _ _)). reflexivity.
  - rewrite (spawns_local _ (set_clock_local _ _)). reflexivity.
  - rewrite (spawns_local _ (merge_local _ _)). simpl. fold (instrument_thread ids u body). fold (spawns body).
    unfold spawns. simpl. fold (spawns (instrument_thread ids u body)). now rewrite IHb, app_nil_r.
  - rewrite (spawns_local _ (merge_local _ _)). reflexivity.
Qed.

Lemma follows_all t hs ws l rest :
  Forall (may_execute t hs ws (spawns rest)) l -> follows_discipline t hs ws rest -> follows_discipline t hs ws (l ++ rest).
Proof.
  intros Hl Hr. induction Hl as [| i l Hi Hl IH]; [exact Hr |]. simpl. apply follows_local; [| exact IH].
  assert (E : spawns l = []).
  { apply spawns_local. eapply Forall_impl; [| exact Hl]. intros j Hj. destruct j; simpl in *; tauto. }
  rewrite spawns_app, E. exact Hi.
Qed.

Lemma follows_one t hs ws i rest :
  may_execute t hs ws (spawns rest) i -> follows_discipline t hs ws rest -> follows_discipline t hs ws (i :: rest).
Proof. apply follows_local. Qed.

Lemma increment_follows t hs ws rest :
  follows_discipline t hs ws rest -> follows_discipline t hs ws (increment (ThreadClock t t) ++ rest).
Proof.
  intro H. apply follows_all; [| exact H]. repeat constructor; unfold may_execute, may_access; simpl; auto.
Qed.

Lemma instrumented_follows hs c : source_code hs c ->
  forall t ws, follows_discipline t (map User hs) ws (instrument_thread ids t c).
Proof.
  assert (Hsec : forall t i d, instrument_thread ids t (i :: d) = section ids t i ++ instrument_thread ids t d) by reflexivity.
  induction 1 as [hs | hs a e c He Hc IH | hs a x c Hc IH | hs e x c He Hc IH | hs m c Hc IH | hs m c Hin Hc IH
    | hs u body c Hb IHb Hc IH | hs u c Hc IH | hs e1 e2 c H1 H2 Hc IH]; intros t ws; [constructor | ..]; rewrite Hsec; simpl.
  - apply follows_one; [exact I | apply IH].
  - apply follows_lock. rewrite <- app_assoc. apply follows_all.
    + unfold load_checks. apply Forall_app. split.
      * apply forall_hb_check; intros; unfold may_execute, may_access; simpl; auto.
      * repeat constructor; unfold may_execute, may_access; simpl; auto.
    + simpl. apply follows_one; [unfold may_execute, may_access; simpl; auto |].
      apply follows_unlock with (hs' := map User hs); [left; reflexivity | | apply IH].
      intros k Hk. apply in_map_iff in Hk as (m & <- & Hm). split; [right; apply in_map, Hm | discriminate].
  - apply follows_lock. rewrite <- app_assoc. apply follows_all.
    + unfold store_checks. apply Forall_app. split; [| apply Forall_app; split].
      * apply forall_hb_check; intros; unfold may_execute, may_access; simpl; auto.
      * apply forall_hb_check; intros; unfold may_execute, may_access; simpl; auto.
      * repeat constructor; unfold may_execute, may_access; simpl; auto.
    + simpl. apply follows_one; [unfold may_execute, may_access; simpl; auto |].
      apply follows_unlock with (hs' := map User hs); [left; reflexivity | | apply IH].
      intros k Hk. apply in_map_iff in Hk as (m & <- & Hm). split; [right; apply in_map, Hm | discriminate].
  - apply follows_lock. apply follows_all; [| apply IH].
    apply forall_merge; intros; unfold may_execute, may_access; simpl; auto.
  - rewrite <- app_assoc. apply follows_all.
    + apply forall_set_clock; intros; unfold may_execute, may_access; simpl; auto. apply in_map, Hin.
    + simpl. match goal with |- follows_discipline _ _ _ (_ :: _ :: ?r) => apply (increment_follows t _ _ r) end.
      apply follows_unlock with (hs' := map User (remove Pos.eq_dec m hs)); [apply in_map, Hin | | apply IH].
      intros k Hk. apply in_map_iff in Hk as (n & <- & Hn). apply in_remove in Hn as [Hn Hne].
      split; [apply in_map, Hn | congruence].
  - rewrite <- app_assoc. apply follows_all.
    + apply forall_merge; intros; unfold may_execute, may_access; simpl; auto.
    + simpl. match goal with |- follows_discipline _ _ _ (_ :: _ :: ?r) => apply (increment_follows t _ _ r) end.
      apply follows_spawn; [apply (IHb u []) | apply IH].
  - apply follows_wait. apply follows_all; [| apply IH].
    apply forall_merge; intros; unfold may_execute, may_access; simpl; auto.
  - apply follows_one; [exact I | apply IH].
Qed.

Theorem instrumented_disciplined init prog :
  well_formed_program prog -> disciplined (initial init (instrument_thread ids main prog)).
Proof.
  intros [Hc Hn]. inversion Hn as [| ? ? Hm Hnd]; subst.
  assert (Hp : forall t c G, pool (initial init (instrument_thread ids main prog)) t = Some (c, G) ->
    t = main /\ c = instrument_thread ids main prog).
  { intros t c G H. simpl in H. unfold put in H. destruct (Pos.eq_dec t main) as [-> | Hne].
    - rewrite set_same in H. split; congruence.
    - rewrite set_other in H by assumption. discriminate. }
  split.
  - intros t c G H. destruct (Hp _ _ _ H) as [-> ->]. exists [], []. split; try (intros ? []).
    + apply (instrumented_follows _ _ Hc).
    + now rewrite (spawns_instrumented _ _ Hc).
    + rewrite (spawns_instrumented _ _ Hc). intros u Hu. simpl. unfold put. rewrite set_other by congruence. reflexivity.
  - intros t c G t' c' G' u H H' _ _. destruct (Hp _ _ _ H), (Hp _ _ _ H'). congruence.
  - intros m t H. discriminate.
Qed.

(** The source program, before its first step. *)
Definition config0 (init : var -> nat) (prog : code) : config :=
  Config (fun t => if Pos.eq_dec t main then Some prog else None) (initial init (instrument_thread ids main prog)).

Lemma initial_at_sections init prog : at_sections ids (config0 init prog).
Proof.
  intros t c G H. simpl in *. unfold put in H. destruct (Pos.eq_dec t main) as [-> | Hne].
  - rewrite set_same in H. exists prog. split; [reflexivity | congruence].
  - rewrite set_other in H by assumption. discriminate.
Qed.

End Discipline.
