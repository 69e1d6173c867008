(** * A step of the source program, and a section of the instrumented one

    Section 5.2 of "Verifying Dynamic Race Detection", one instruction at a time: if the source program executes an instruction, the
    section of that instruction, alone, has the same effect, and the effect of VectorClock on the metadata; if VectorClock
    detects a race, the section fails.

    - [similar]: Definition 6.  [simulates] adds the other relations between the two states.
    - [step_load], [step_store], [step_lock] and so on.  Simulation.v puts them together.

    C++ twin: none. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Mini Instrument Ownership Solo BiggerStep Discipline
  Encoding.

Section Simulation.

Context (ids : list tid).

(** ** Relations *)

(** Definition 6.  The instrumented state is the second. *)
Record similar (a b : state) : Prop := {
  similar_threads : forall t,
    match pool a t, pool b t with
    | Some (c, G), Some (c', G') => c' = instrument_thread ids t c /\ same_own G G'
    | None, None => True
    | _, _ => False
    end;
  similar_data : forall x, data b (Shared x) = data a (Shared x);
  similar_held : forall m, held b (User m) = held a (User m)
}.

(** A state of a well-formed source program. *)
Definition source_state (a : state) : Prop :=
  forall t c G, pool a t = Some (c, G) -> In t ids /\ incl (spawns c) ids /\ exists hs, source_code hs c.

(** The source program has reached [a] by an execution with labels [tr], the instrumented one by bigger steps to [p]. *)
Record simulates (tr : trace) (a : state) (p : config) : Prop := {
  sim_similar : similar a (now p);
  sim_left : forall t c G, pool a t = Some (c, G) -> left p t = Some c;
  sim_source : source_state a;
  sim_guards : forall x, held (now p) (Guard x) = None;
  sim_encodes : encodes ids (data (now p)) (VC.record_all LeaveChild tr)
}.

(** ** One step of the source program *)

Lemma do_assign t r e c G a a' : effect t (Assign r e) c G a (Running a') ->
  a' = State (put (pool a) t (Some (c, assign G r (eval G e)))) (data a) (held a).
Proof. intro H. now inversion H. Qed.
Lemma do_load t r l c G a a' : effect t (Load r l) c G a (Running a') ->
  a' = State (put (pool a) t (Some (c, assign G r (data a l)))) (data a) (held a).
Proof. intro H. now inversion H. Qed.
Lemma do_store t e l c G a a' : effect t (Store e l) c G a (Running a') ->
  a' = State (put (pool a) t (Some (c, G))) (write (data a) l (eval G e)) (held a).
Proof. intro H. now inversion H. Qed.
Lemma do_lock t m c G a a' : effect t (Lock m) c G a (Running a') ->
  held a m = None /\ a' = State (put (pool a) t (Some (c, G))) (data a) (hold (held a) m (Some t)).
Proof. intro H. now inversion H. Qed.
Lemma do_unlock t m c G a a' : effect t (Unlock m) c G a (Running a') ->
  held a m = Some t /\ a' = State (put (pool a) t (Some (c, G))) (data a) (hold (held a) m None).
Proof. intro H. now inversion H. Qed.
Lemma do_spawn t u body c G a a' : effect t (Spawn u body) c G a (Running a') ->
  pool a u = None /\ a' = State (put (put (pool a) u (Some (body, env0))) t (Some (c, G))) (data a) (held a).
Proof. intro H. now inversion H. Qed.
Lemma do_wait t u c G a a' : effect t (Wait u) c G a (Running a') ->
  finished a u /\ a' = State (put (pool a) t (Some (c, G))) (data a) (held a).
Proof. intro H. inversion H; subst. split; [eexists; eassumption | reflexivity]. Qed.
Lemma can_assign t r e c K s :
  effect t (Assign r e) c K s (Running (State (put (pool s) t (Some (c, assign K r (eval K e)))) (data s) (held s))).
Proof. destruct s. constructor. Qed.
Lemma can_lock t m c K s : held s m = None ->
  effect t (Lock m) c K s (Running (State (put (pool s) t (Some (c, K))) (data s) (hold (held s) m (Some t)))).
Proof. destruct s. now constructor. Qed.
Lemma can_unlock t m c K s : held s m = Some t ->
  effect t (Unlock m) c K s (Running (State (put (pool s) t (Some (c, K))) (data s) (hold (held s) m None))).
Proof. destruct s. now constructor. Qed.
Lemma can_spawn t u body c K s : pool s u = None ->
  effect t (Spawn u body) c K s
    (Running (State (put (put (pool s) u (Some (body, env0))) t (Some (c, K))) (data s) (held s))).
Proof. destruct s. now constructor. Qed.
Lemma can_wait t u c K s Ku : pool s u = Some ([], Ku) ->
  effect t (Wait u) c K s (Running (State (put (pool s) t (Some (c, K))) (data s) (held s))).
Proof. destruct s. econstructor; eassumption. Qed.
Lemma can_pass t e1 e2 c K s : eval K e1 <= eval K e2 ->
  effect t (Assert e1 e2) c K s (Running (State (put (pool s) t (Some (c, K))) (data s) (held s))).
Proof. destruct s. now constructor. Qed.
Lemma do_assert t e1 e2 c G a a' : effect t (Assert e1 e2) c G a (Running a') ->
  eval G e1 <= eval G e2 /\ a' = State (put (pool a) t (Some (c, G))) (data a) (held a).
Proof. intro H. now inversion H. Qed.

Lemma source_step a t o a' : source_state a -> step a t o (Running a') -> source_state a'.
Proof.
  intros Hs (i & c & G & Hp & _ & He). destruct (Hs _ _ _ Hp) as (Ht & Hi & hs & Hc).
  assert (Hic : incl (spawns c) ids) by (intros u Hu; apply Hi, in_or_app; auto).
  assert (Hrest : exists hs', source_code hs' c) by (inversion Hc; eauto).
  intros u d K Hu. destruct (Pos.eq_dec u t) as [-> | Hne].
  - rewrite (pool_after _ _ _ _ _ _ He) in Hu. injection Hu as <- <-. auto.
  - destruct (pool_other _ _ _ _ _ _ He u Hne) as [E | (body & -> & _ & E)]; rewrite E in Hu; [eauto |].
    injection Hu as <- <-. split; [apply Hi; left; reflexivity |].
    split; [intros v Hv; apply Hi; right; apply in_or_app; auto |]. inversion Hc; eauto.
Qed.

Lemma instrument_cons t i c : instrument_thread ids t (i :: c) = section ids t i ++ instrument_thread ids t c.
Proof. reflexivity. Qed.

(** The state [b'] in which the thread [t] of [b] has reached [c], if [t]'s step leads from [a] to [a']. *)
Lemma similar_step a b t i c G a' b' G1 G2 :
  similar a b -> effect t i c G a (Running a') -> (forall u body, i <> Spawn u body) ->
  pool a' t = Some (c, G1) -> pool b' t = Some (instrument_thread ids t c, G2) -> same_own G1 G2 ->
  (forall u, u <> t -> pool b' u = pool b u) ->
  (forall x, data b' (Shared x) = data a' (Shared x)) -> (forall m, held b' (User m) = held a' (User m)) ->
  similar a' b'.
Proof.
  intros [H1 H2 H3] He Hns Ha Hb Hsame Hother Hd Hh. split; try assumption.
  intro u. destruct (Pos.eq_dec u t) as [-> | Hne]; [rewrite Ha, Hb; auto |].
  rewrite Hother by assumption. destruct (pool_other _ _ _ _ _ _ He u Hne) as [-> | (body & -> & _)]; [apply H1 |].
  edestruct Hns; reflexivity.
Qed.

(** The instrumented program can do as the source program does, when that steps to [a']. *)
Definition follows (tr : trace) (a' : state) (p : config) (t : tid) : Prop :=
  exists q, big_step ids p t q /\ simulates tr a' q.

(** Or VectorClock is stuck, and the instrumented program fails. *)
Definition answers (tr : trace) (o : option event) (a' : state) (p : config) (t : tid) : Prop :=
  match o with
  | Some e => if VC.races (VC.record_all LeaveChild tr) e then big_error ids p t else follows (tr ++ [e]) a' p t
  | None => follows tr a' p t
  end.

Section Step.

Context (tr : trace) (a : state) (p : config) (Hsim : simulates tr a p) (t : tid) (i : instr) (c : code) (G : env).
Context (Hp : pool a t = Some (i :: c, G)).

Let b := now p.

Lemma pool_b : exists K, pool b t = Some (section ids t i ++ instrument_thread ids t c, K) /\ same_own G K.
Proof.
  unfold b. pose proof (similar_threads _ _ (sim_similar _ _ _ Hsim) t) as H. rewrite Hp in H.
  destruct (pool (now p) t) as [[c' K] |]; [| destruct H]. destruct H as [-> H]. exists K. auto.
Qed.

Let in_ids : In t ids := proj1 (sim_source _ _ _ Hsim _ _ _ Hp).

(** An access: the checks and the access itself [l] under the guard. *)
Lemma access_section x K l rest :
  pool b t = Some (Lock (Guard x) :: l ++ Unlock (Guard x) :: rest, K) -> Forall is_local l ->
  match exec l K (data b) with
  | Some (K', D') => exists b', solo anything t (length (Lock (Guard x) :: l ++ [Unlock (Guard x)])) b b' /\
      pool b' t = Some (rest, K') /\ (forall u, u <> t -> pool b' u = pool b u) /\ data b' = D' /\
      (forall m, held b' m = held b m)
  | None => exists n b', n < length (Lock (Guard x) :: l ++ [Unlock (Guard x)]) /\ solo anything t n b b' /\ step b' t None Error
  end.
Proof.
  unfold b. intros Hb Hl. pose proof (sim_guards _ _ _ Hsim x) as Hg. destruct (now p) as [P D H]. simpl in Hb, Hg.
  set (s1 := State (put P t (Some (l ++ Unlock (Guard x) :: rest, K))) D (hold H (Guard x) (Some t))).
  assert (Hs1 : solo anything t 1 (State P D H) s1) by (eapply solo_one; [exact Hb | now constructor]).
  pose proof (exec_solo t (Unlock (Guard x) :: rest) l Hl s1 K (set_same _ _ _ _)) as He. simpl data in *.
  destruct (exec l K D) as [[K' D'] |].
  - destruct He as (s2 & Hs2 & A1 & A2 & A3 & A4). destruct s2 as [P2 D2 H2]. simpl in A1, A2, A3, A4. subst D2 H2.
    exists (State (put P2 t (Some (rest, K'))) D' (hold (hold H (Guard x) (Some t)) (Guard x) None)). split.
    + replace (length _) with (1 + (length l + 1)) by (simpl; rewrite app_length; simpl; lia).
      eapply solo_trans; [exact Hs1 |]. eapply solo_trans; [exact Hs2 |].
      eapply solo_one; [exact A1 |]. constructor. apply set_same.
    + simpl. unfold put, hold. split; [apply set_same |].
      split; [intros u Hu; rewrite set_other, A2 by assumption; unfold put; now apply set_other |].
      split; [reflexivity |]. intro m. destruct (mutex_dec m (Guard x)) as [-> | Hm]; [now rewrite set_same |].
      now rewrite !set_other by assumption.
  - destruct He as (n & s2 & Hn & Hs2 & He). exists (1 + n), s2. split; [simpl; rewrite app_length; simpl; lia |].
    split; [eapply solo_trans; eassumption | exact He].
Qed.

Context (a' : state) (He : effect t i c G a (Running a')).

Lemma source_after : source_state a'.
Proof. eapply source_step; [exact (sim_source _ _ _ Hsim) |]. exists i, c, G. split; [exact Hp |]. split; [reflexivity | exact He]. Qed.

(** A bigger step, put together. *)
Lemma follow tr' K b' :
  pool b t = Some (instrument_thread ids t (i :: c), K) -> solo anything t (length (section ids t i)) b b' ->
  similar a' b' -> (forall x, held b' (Guard x) = None) -> encodes ids (data b') (VC.record_all LeaveChild tr') ->
  follows tr' a' p t.
Proof.
  intros Hb Hsolo Hs Hg Henc. exists (Config (advance (left p) t i c) b'). split.
  { exists i, c, K. split; [apply (sim_left _ _ _ Hsim _ _ _ Hp) |]. auto. }
  split; [exact Hs | | exact source_after | exact Hg | exact Henc].
  intros u d Gu Hu. simpl. unfold advance. destruct (Pos.eq_dec u t) as [-> | Hne].
  - rewrite (pool_after _ _ _ _ _ _ He) in Hu. congruence.
  - destruct (pool_other _ _ _ _ _ _ He u Hne) as [E | (body & Ei & _ & E)]; rewrite E in Hu.
    + pose proof (sim_left _ _ _ Hsim _ _ _ Hu) as Hl. destruct i; try exact Hl.
      destruct (Pos.eq_dec u u0) as [-> |]; [| exact Hl]. destruct (do_spawn _ _ _ _ _ _ _ He) as [Hn _].
      rewrite Hn in Hu. discriminate.
    + injection Hu as <- <-. rewrite Ei. destruct (Pos.eq_dec u u); [reflexivity | contradiction].
Qed.

Lemma fail n K b' :
  pool b t = Some (instrument_thread ids t (i :: c), K) -> n < length (section ids t i) -> solo anything t n b b' ->
  step b' t None Error -> big_error ids p t.
Proof.
  intros. exists i, c, K, n, b'. split; [apply (sim_left _ _ _ Hsim _ _ _ Hp) |]. auto.
Qed.

Lemma step_load r x : i = Load (Own r) (Shared x) -> answers tr (Some (Event t (Read x))) a' p t.
Proof.
  intros Ei. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  set (l := load_checks ids t x ++ [Load (Own r) (Shared x)]).
  assert (Hl : Forall is_local l) by (apply Forall_app; split; [apply load_checks_local | repeat constructor]).
  assert (Hb' : pool b t = Some (Lock (Guard x) :: l ++ Unlock (Guard x) :: instrument_thread ids t c, K)).
  { rewrite Hb, Ei. unfold l. simpl. rewrite <- !app_assoc. reflexivity. }
  pose proof (access_section x K l _ Hb' Hl) as Hsec.
  assert (Hlen : length (section ids t i) = length (Lock (Guard x) :: l ++ [Unlock (Guard x)])).
  { rewrite Ei. unfold l. rewrite <- app_assoc. reflexivity. }
  pose proof (encodes_leq_write ids _ _ x t Henc) as Hleq.
  assert (Eexec : exec l K (data b) = match exec (hb_check ids (WriteClock x) (ThreadClock t)) K (data b) with
    | Some (K1, D1) => exec (move (ThreadClock t t) (ReadClock x t) ++ [Load (Own r) (Shared x)]) K1 D1 | None => None end).
  { unfold l, load_checks. rewrite <- app_assoc. apply exec_app. }
  unfold answers, VC.races. cbn [action thread].
  destruct (leq (VC.clock_or_bottom (VC.writes (VC.record_all LeaveChild tr)) x)
                (thread_clock (VC.sync (VC.record_all LeaveChild tr)) t)) eqn:El; cbn [negb].
  - destruct (exec_check_pass ids (WriteClock x) (ThreadClock t) K (data b) (proj1 Hleq eq_refl)) as (K1 & E1 & Hk1).
    rewrite Eexec, E1 in Hsec. simpl in Hsec. destruct Hsec as (b' & Hsolo & A1 & A2 & A3 & A4).
    pose proof He as He'. rewrite Ei in He'. pose proof (do_load _ _ _ _ _ _ _ He') as Ea.
    apply (follow _ K b'); [exact Hb | rewrite Hlen; exact Hsolo | | intro y; rewrite A4; apply Hg |].
    + eapply similar_step; [exact Hs | exact He | congruence | rewrite Ea; apply set_same | exact A1 | | exact A2 | |].
      * unfold assign. intro w. destruct (Pos.eq_dec w r) as [-> | Hw].
        -- rewrite !set_same. unfold write. rewrite set_other by discriminate. apply (similar_data _ _ Hs).
        -- rewrite !set_other by congruence. rewrite Hk1. apply Hown.
      * intro y. rewrite A3, Ea. unfold write. rewrite set_other by discriminate. apply (similar_data _ _ Hs).
      * intro m. rewrite A4, Ea. apply (similar_held _ _ Hs).
    + rewrite A3, VC.record_all_snoc. unfold assign. rewrite set_same. apply encodes_read; assumption.
  - assert (Hno : exists u, In u ids /\ data b (ThreadClock t u) < data b (WriteClock x u)).
    { apply not_all_leq. intro H. apply Hleq in H. congruence. }
    destruct Hno as (u & Hu & Hlt). rewrite Eexec, (exec_check_fail _ _ _ _ _ _ Hu Hlt) in Hsec.
    destruct Hsec as (n & b' & Hn & Hsolo & Herr). rewrite <- Hlen in Hn. eapply fail; eassumption.
Qed.

Lemma step_store e x : i = Store e (Shared x) -> own_expr e -> answers tr (Some (Event t (Write x))) a' p t.
Proof.
  intros Ei Hexpr. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  set (l := store_checks ids t x ++ [Store e (Shared x)]).
  assert (Hl : Forall is_local l) by (apply Forall_app; split; [apply store_checks_local | repeat constructor]).
  assert (Hb' : pool b t = Some (Lock (Guard x) :: l ++ Unlock (Guard x) :: instrument_thread ids t c, K)).
  { rewrite Hb, Ei. unfold l. simpl. rewrite <- !app_assoc. reflexivity. }
  pose proof (access_section x K l _ Hb' Hl) as Hsec.
  assert (Hlen : length (section ids t i) = length (Lock (Guard x) :: l ++ [Unlock (Guard x)])).
  { rewrite Ei. unfold l. rewrite <- app_assoc. reflexivity. }
  pose proof (encodes_leq_write ids _ _ x t Henc) as Hleqw. pose proof (encodes_leq_read ids _ _ x t Henc) as Hleqr.
  assert (Eexec : exec l K (data b) = match exec (hb_check ids (WriteClock x) (ThreadClock t)) K (data b) with
    | Some (K1, D1) => match exec (hb_check ids (ReadClock x) (ThreadClock t)) K1 D1 with
      | Some (K2, D2) => exec (move (ThreadClock t t) (WriteClock x t) ++ [Store e (Shared x)]) K2 D2 | None => None end
    | None => None end).
  { unfold l, store_checks. rewrite <- !app_assoc, exec_app.
    destruct (exec (hb_check ids (WriteClock x) (ThreadClock t)) K (data b)) as [[K1 D1] |]; [apply exec_app | reflexivity]. }
  unfold answers, VC.races. cbn [action thread].
  assert (Hfail : exec l K (data b) = None -> big_error ids p t).
  { intro Hn. rewrite Hn in Hsec. destruct Hsec as (n & b' & Hlt & Hsolo & Herr).
    rewrite <- Hlen in Hlt. eapply fail; eassumption. }
  destruct (leq (VC.clock_or_bottom (VC.writes (VC.record_all LeaveChild tr)) x)
                (thread_clock (VC.sync (VC.record_all LeaveChild tr)) t)) eqn:Elw.
  2: { cbn [negb andb]. apply Hfail. rewrite Eexec.
       assert (Hno : exists u, In u ids /\ data b (ThreadClock t u) < data b (WriteClock x u)).
       { apply not_all_leq. intro H. apply Hleqw in H. congruence. }
       destruct Hno as (u & Hu & Hlt). now rewrite (exec_check_fail _ _ _ _ _ _ Hu Hlt). }
  destruct (exec_check_pass ids (WriteClock x) (ThreadClock t) K (data b) (proj1 Hleqw eq_refl)) as (K1 & E1 & Hk1).
  rewrite E1 in Eexec.
  destruct (leq (VC.clock_or_bottom (VC.reads (VC.record_all LeaveChild tr)) x)
                (thread_clock (VC.sync (VC.record_all LeaveChild tr)) t)) eqn:Elr; cbn [negb andb].
  - destruct (exec_check_pass ids (ReadClock x) (ThreadClock t) K1 (data b) (proj1 Hleqr eq_refl)) as (K2 & E2 & Hk2).
    rewrite E2 in Eexec. rewrite Eexec in Hsec. simpl in Hsec. destruct Hsec as (b' & Hsolo & A1 & A2 & A3 & A4).
    pose proof He as He'. rewrite Ei in He'. pose proof (do_store _ _ _ _ _ _ _ He') as Ea.
    assert (Hown2 : same_own G (assign K2 Tmp1 (data b (ThreadClock t t)))).
    { intro w. unfold assign. rewrite set_other by discriminate. rewrite Hk2, Hk1. apply Hown. }
    apply (follow _ K b'); [exact Hb | rewrite Hlen; exact Hsolo | | intro y; rewrite A4; apply Hg |].
    + eapply similar_step; [exact Hs | exact He | congruence | rewrite Ea; apply set_same | exact A1 | exact Hown2 | exact A2 | |].
      * intro y. rewrite A3, Ea. simpl. unfold write. destruct (Pos.eq_dec y x) as [-> | Hy].
        -- rewrite !set_same. apply eval_same; assumption.
        -- rewrite !set_other by congruence. apply (similar_data _ _ Hs).
      * intro m. rewrite A4, Ea. apply (similar_held _ _ Hs).
    + rewrite A3, VC.record_all_snoc. apply encodes_shared. unfold assign. rewrite set_same.
      apply encodes_write; assumption.
  - apply Hfail. rewrite Eexec.
    assert (Hno : exists u, In u ids /\ data b (ThreadClock t u) < data b (ReadClock x u)).
    { apply not_all_leq. intro H. apply Hleqr in H. congruence. }
    destruct Hno as (u & Hu & Hlt). now rewrite (exec_check_fail _ _ _ _ _ _ Hu Hlt).
Qed.

(** A section without asserts: the operation of the source first ([Lock], [Wait]), then the clocks. *)
Lemma blocking_section K l (b1 : state) :
  pool b t = Some (i :: l ++ instrument_thread ids t c, K) -> Forall is_local l ->
  effect t i (l ++ instrument_thread ids t c) K b (Running b1) -> pool b1 t = Some (l ++ instrument_thread ids t c, K) ->
  forall K' D', exec l K (data b1) = Some (K', D') ->
  exists b', solo anything t (length (i :: l)) b b' /\ after b1 t (instrument_thread ids t c) K' D' b'.
Proof.
  intros Hb Hl Heb Hb1 K' D' Hx. pose proof (exec_solo t _ l Hl b1 K Hb1) as H. rewrite Hx in H.
  destruct H as (b' & Hs & Ha). exists b'. split; [| exact Ha].
  change (length (i :: l)) with (1 + length l). eapply solo_trans; [eapply solo_one; eassumption | exact Hs].
Qed.

(** The clocks first, then the operation of the source ([Unlock], [Spawn]). *)
Lemma releasing_section K l j rest :
  pool b t = Some (l ++ j :: rest, K) -> Forall is_local l ->
  forall K' D', exec l K (data b) = Some (K', D') ->
  exists b1, solo anything t (length l) b b1 /\ after b t (j :: rest) K' D' b1 /\
  forall b', effect t j rest K' b1 (Running b') -> solo anything t (length (l ++ [j])) b b'.
Proof.
  intros Hb Hl K' D' Hx. pose proof (exec_solo t _ l Hl b K Hb) as H. rewrite Hx in H.
  destruct H as (b1 & Hs & Ha). exists b1. split; [exact Hs |]. split; [exact Ha |]. intros b' Heb.
  rewrite app_length. eapply solo_trans; [exact Hs |]. eapply solo_one; [apply Ha | exact Heb].
Qed.

Lemma step_lock m : i = Lock (User m) -> follows (tr ++ [Event t (Acquire m)]) a' p t.
Proof.
  intros Ei. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  pose proof He as He'. rewrite Ei in He'. destruct (do_lock _ _ _ _ _ _ He') as [Hfree Ea].
  destruct (exec_merge ids (LockClock m) (ThreadClock t) K (data b)) as (K' & D' & Hx & Hk & Hu); [discriminate | congruence |].
  set (b1 := State (put (pool b) t (Some (merge ids (LockClock m) (ThreadClock t) ++ instrument_thread ids t c, K))) (data b)
               (hold (held b) (User m) (Some t))).
  assert (Heb : effect t i (merge ids (LockClock m) (ThreadClock t) ++ instrument_thread ids t c) K b (Running b1)).
  { rewrite Ei. apply can_lock. rewrite <- Hfree. apply (similar_held _ _ Hs). }
  assert (Hb' : pool b t = Some (i :: merge ids (LockClock m) (ThreadClock t) ++ instrument_thread ids t c, K)).
  { rewrite Hb, Ei. reflexivity. }
  destruct (blocking_section K _ b1 Hb' (merge_local ids _ _) Heb (set_same _ _ _ _) K' D' Hx) as (b' & Hsolo & A1 & A2 & A3 & A4).
  apply (follow _ K b'); [exact Hb | rewrite Ei in *; exact Hsolo | | |].
  - eapply similar_step; [exact Hs | exact He | congruence | rewrite Ea; apply set_same | exact A1 | | | |].
    + eapply same_own_trans; eassumption.
    + intros u Hne. rewrite A2 by assumption. now apply set_other.
    + intro x. rewrite A3, Ea. rewrite (proj2 Hu) by discriminate. apply (similar_data _ _ Hs).
    + intro n. rewrite A4, Ea. simpl. unfold hold. destruct (Pos.eq_dec n m) as [-> | Hne]; [now rewrite !set_same |].
      rewrite !set_other by congruence. apply (similar_held _ _ Hs).
  - intro x. rewrite A4. simpl. unfold hold. rewrite set_other by discriminate. apply Hg.
  - rewrite A3, VC.record_all_snoc. apply encodes_acquire with (D := data b); assumption.
Qed.

Lemma step_wait u : i = Wait u -> follows (tr ++ [Event t (Join u)]) a' p t.
Proof.
  intros Ei. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  pose proof He as He'. rewrite Ei in He'. destruct (do_wait _ _ _ _ _ _ He') as [[Gu Hfin] Ea].
  assert (Hut : u <> t) by (intros ->; congruence).
  assert (Hin : In u ids) by exact (proj1 (Hsrc _ _ _ Hfin)).
  assert (Hfb : exists Ku, pool b u = Some ([], Ku)).
  { unfold b. pose proof (similar_threads _ _ Hs u) as H. rewrite Hfin in H. destruct (pool (now p) u) as [[c' Ku] |]; [| destruct H].
    destruct H as [-> _]. exists Ku. reflexivity. }
  destruct Hfb as [Ku Hfb].
  destruct (exec_merge ids (ThreadClock u) (ThreadClock t) K (data b)) as (K' & D' & Hx & Hk & Hu); [congruence | congruence |].
  set (b1 := State (put (pool b) t (Some (merge ids (ThreadClock u) (ThreadClock t) ++ instrument_thread ids t c, K))) (data b) (held b)).
  assert (Heb : effect t i (merge ids (ThreadClock u) (ThreadClock t) ++ instrument_thread ids t c) K b (Running b1)).
  { rewrite Ei. eapply can_wait. exact Hfb. }
  assert (Hb' : pool b t = Some (i :: merge ids (ThreadClock u) (ThreadClock t) ++ instrument_thread ids t c, K)).
  { rewrite Hb, Ei. reflexivity. }
  destruct (blocking_section K _ b1 Hb' (merge_local ids _ _) Heb (set_same _ _ _ _) K' D' Hx) as (b' & Hsolo & A1 & A2 & A3 & A4).
  apply (follow _ K b'); [exact Hb | rewrite Ei in *; exact Hsolo | | |].
  - eapply similar_step; [exact Hs | exact He | congruence | rewrite Ea; apply set_same | exact A1 | | | |].
    + eapply same_own_trans; eassumption.
    + intros w Hne. rewrite A2 by assumption. now apply set_other.
    + intro x. rewrite A3, Ea. rewrite (proj2 Hu) by discriminate. apply (similar_data _ _ Hs).
    + intro n. rewrite A4, Ea. apply (similar_held _ _ Hs).
  - intro x. rewrite A4. apply Hg.
  - rewrite A3, VC.record_all_snoc. apply encodes_join with (D := data b); assumption.
Qed.

Lemma exec_increment l K D :
  exists K', exec (increment l) K D = Some (K', write D l (D l + 1)) /\ same_own K K'.
Proof.
  exists (assign K Tmp1 (D l)). split; [simpl; unfold assign; rewrite set_same; reflexivity |].
  intro w. apply set_other. discriminate.
Qed.

Lemma step_unlock m : i = Unlock (User m) -> follows (tr ++ [Event t (Release m)]) a' p t.
Proof.
  intros Ei. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  pose proof He as He'. rewrite Ei in He'. destruct (do_unlock _ _ _ _ _ _ He') as [Hheld Ea].
  destruct (exec_set_clock ids (ThreadClock t) (LockClock m) K (data b)) as (K1 & D1 & Hx1 & Hk1 & Hu); [discriminate | congruence |].
  destruct (exec_increment (ThreadClock t t) K1 D1) as (K2 & Hx2 & Hk2).
  set (l := set_clock ids (ThreadClock t) (LockClock m) ++ increment (ThreadClock t t)).
  assert (Hx : exec l K (data b) = Some (K2, write D1 (ThreadClock t t) (D1 (ThreadClock t t) + 1))).
  { unfold l. rewrite exec_app, Hx1. exact Hx2. }
  assert (Hl : Forall is_local l) by (apply Forall_app; split; [apply set_clock_local | apply increment_local]).
  assert (Hb' : pool b t = Some (l ++ i :: instrument_thread ids t c, K)).
  { rewrite Hb, Ei. unfold l. simpl. rewrite <- !app_assoc. reflexivity. }
  assert (Hlen : length (section ids t i) = length (l ++ [i])).
  { rewrite Ei. unfold l. rewrite <- app_assoc. reflexivity. }
  destruct (releasing_section K l i _ Hb' Hl _ _ Hx) as (b1 & _ & (A1 & A2 & A3 & A4) & Hsolo).
  set (b' := State (put (pool b1) t (Some (instrument_thread ids t c, K2))) (data b1) (hold (held b1) (User m) None)).
  apply (follow _ K b'); [exact Hb | | | |].
  { rewrite Hlen. apply Hsolo. rewrite Ei.
    apply can_unlock. rewrite A4, <- Hheld. apply (similar_held _ _ Hs). }
  - eapply similar_step; [exact Hs | exact He | congruence | rewrite Ea; apply set_same | apply set_same | | | |].
    + eapply same_own_trans; [exact Hown |]. eapply same_own_trans; eassumption.
    + intros u Hne. unfold b'. simpl. unfold put. rewrite set_other by assumption. now apply A2.
    + intro x. unfold b'. simpl. rewrite A3, Ea. unfold write. rewrite set_other by discriminate.
      rewrite (proj2 Hu) by discriminate. apply (similar_data _ _ Hs).
    + intro n. unfold b'. simpl. rewrite A4, Ea. simpl. unfold hold. destruct (Pos.eq_dec n m) as [-> | Hne]; [now rewrite !set_same |].
      rewrite !set_other by congruence. apply (similar_held _ _ Hs).
  - intro x. unfold b'. simpl. unfold hold. rewrite set_other, A4 by discriminate. apply Hg.
  - unfold b'. simpl data. rewrite A3, VC.record_all_snoc. apply encodes_release with (D := data b); assumption.
Qed.

Lemma step_spawn u body :
  i = Spawn u body -> follows (tr ++ [Event t (Fork u)]) a' p t.
Proof.
  intros Ei. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  pose proof He as He'. rewrite Ei in He'. destruct (do_spawn _ _ _ _ _ _ _ He') as [Hnew Ea].
  assert (Hut : u <> t) by (intros ->; congruence).
  assert (Hin : In u ids).
  { destruct (Hsrc _ _ _ Hp) as (_ & Hi & _). apply Hi. rewrite Ei. left. reflexivity. }
  assert (Hnb : pool b u = None).
  { unfold b. pose proof (similar_threads _ _ Hs u) as H. rewrite Hnew in H.
    destruct (pool (now p) u); [destruct H | reflexivity]. }
  destruct (exec_merge ids (ThreadClock t) (ThreadClock u) K (data b)) as (K1 & D1 & Hx1 & Hk1 & Hu); [congruence | congruence |].
  destruct (exec_increment (ThreadClock t t) K1 D1) as (K2 & Hx2 & Hk2).
  set (l := merge ids (ThreadClock t) (ThreadClock u) ++ increment (ThreadClock t t)).
  assert (Hx : exec l K (data b) = Some (K2, write D1 (ThreadClock t t) (D1 (ThreadClock t t) + 1))).
  { unfold l. rewrite exec_app, Hx1. exact Hx2. }
  assert (Hl : Forall is_local l) by (apply Forall_app; split; [apply merge_local | apply increment_local]).
  set (j := Spawn u (instrument_thread ids u body)).
  assert (Hb' : pool b t = Some (l ++ j :: instrument_thread ids t c, K)).
  { rewrite Hb, Ei. unfold l. simpl. rewrite <- !app_assoc. reflexivity. }
  assert (Hlen : length (section ids t i) = length (l ++ [j])).
  { rewrite Ei. unfold l. rewrite <- app_assoc. reflexivity. }
  destruct (releasing_section K l j _ Hb' Hl _ _ Hx) as (b1 & _ & (A1 & A2 & A3 & A4) & Hsolo).
  set (b' := State (put (put (pool b1) u (Some (instrument_thread ids u body, env0))) t (Some (instrument_thread ids t c, K2)))
               (data b1) (held b1)).
  apply (follow _ K b'); [exact Hb | | | |].
  { rewrite Hlen. apply Hsolo.
    apply can_spawn. rewrite A2; assumption. }
  - split.
    + intro w. rewrite Ea. unfold b'. simpl. unfold put. destruct (Pos.eq_dec w t) as [-> | Hwt].
      * rewrite !set_same. split; [reflexivity |]. eapply same_own_trans; [exact Hown |]. eapply same_own_trans; eassumption.
      * rewrite !(set_other _ _ t) by assumption. destruct (Pos.eq_dec w u) as [-> | Hwu].
        -- rewrite !set_same. split; [reflexivity | apply same_own_refl].
        -- rewrite !set_other by assumption. rewrite A2 by assumption. apply (similar_threads _ _ Hs).
    + intro x. unfold b'. simpl. rewrite A3, Ea. unfold write. rewrite set_other by discriminate.
      rewrite (proj2 Hu) by discriminate. apply (similar_data _ _ Hs).
    + intro n. unfold b'. simpl. rewrite A4, Ea. apply (similar_held _ _ Hs).
  - intro x. unfold b'. simpl. rewrite A4. apply Hg.
  - unfold b'. simpl data. rewrite A3, VC.record_all_snoc. apply encodes_fork with (D := data b); assumption.
Qed.

(** Instructions without instrumentation. *)
Lemma step_plain G' :
  section ids t i = [i] -> label t i = None -> (forall u body, i <> Spawn u body) ->
  (forall K, same_own G K -> pool b t = Some (i :: instrument_thread ids t c, K) -> exists K',
    same_own G' K' /\ effect t i (instrument_thread ids t c) K b
      (Running (State (put (pool b) t (Some (instrument_thread ids t c, K'))) (data b) (held b)))) ->
  a' = State (put (pool a) t (Some (c, G'))) (data a) (held a) ->
  follows tr a' p t.
Proof.
  intros Esec _ Hns Hstep Ea. destruct pool_b as (K & Hb & Hown). pose proof Hsim as [Hs Hl0 Hsrc Hg Henc].
  assert (Hb' : pool b t = Some (i :: instrument_thread ids t c, K)) by (rewrite Hb, Esec; reflexivity).
  destruct (Hstep K Hown Hb') as (K' & Hk & Heb).
  eapply (follow _ K); [exact Hb | rewrite Esec; eapply solo_one; eassumption | | exact Hg | exact Henc].
  eapply similar_step; [exact Hs | exact He | exact Hns | rewrite Ea; apply set_same | apply set_same | exact Hk | | |].
  - intros u Hne. now apply set_other.
  - intro x. rewrite Ea. apply (similar_data _ _ Hs).
  - intro m. rewrite Ea. apply (similar_held _ _ Hs).
Qed.

End Step.

End Simulation.
