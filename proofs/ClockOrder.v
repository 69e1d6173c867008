(** * Clocks order events exactly as happens-before does

    The part that all the detectors here share: one clock per thread and one per lock, and how fork, join, acquire and
    release move them.
    - [clocks_are_exact]: an event is HB-before what a thread does next iff the event's local time is at most its
      thread's component of that thread's clock.  The same holds for what a lock carries.
    - [own_component_leads]: a thread that has not been joined has a later time for itself than any other thread or any
      lock has for it.
    - [happens_before_lowers_clocks]: the repaired Lemma 4.  If a is HB-before b then the clock of a's thread at a is
      below the clock of b's thread at b.  The event b may be one at which a detector is stuck, and the clocks may start
      anywhere.

    The clocks do not depend on reads and writes, so this file does not mention races.

    The paper's join increments the joined thread's clock ([TickChild]).  If several threads join one thread, that
    increment is left out ([LeaveChild]).  Everything is proved for both.

    C++ twin: [Hb], [ThreadClocks] and [HardOrder] ([LeaveChild]). *)

From Coq Require Import List Arith PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock.

(** C and L of Figure 2.  C++ twin: [Hb]. *)
Record clocks := Clocks { threads : PM.t clock; locks : PM.t clock }.

(** C_t, which is inc_t(bottom) at first. *)
Definition thread_clock (s : clocks) (t : tid) : clock :=
  match PM.find t (threads s) with
  | Some c => c
  | None => inc t bottom
  end.

(** L_m, which is bottom at first. *)
Definition lock_clock (s : clocks) (m : lock) : clock :=
  match PM.find m (locks s) with
  | Some c => c
  | None => bottom
  end.

Definition set_thread (s : clocks) (t : tid) (c : clock) : clocks := Clocks (PM.add t c (threads s)) (locks s).
Definition set_lock (s : clocks) (m : lock) (c : clock) : clocks := Clocks (threads s) (PM.add m c (locks s)).

Definition initial_clocks : clocks := Clocks (PM.empty _) (PM.empty _).

Inductive join_rule := TickChild | LeaveChild.

(** The knowledge of [thread e] at [e]: its clock, joined with the clocks that [e] acquires. *)
Definition clock_at (s : clocks) (e : event) : clock :=
  let c := thread_clock s (thread e) in
  match action e with
  | Acquire m => join c (lock_clock s m)
  | Join u => join c (thread_clock s u)
  | _ => c
  end.

(** The clocks after [e].  A release assigns to the lock's clock; it does not join into it.  C++ twin: [Hb::acquire],
    [Hb::release], [HardOrder::fork], [HardOrder::join]. *)
Definition tick (rule : join_rule) (s : clocks) (e : event) : clocks :=
  let t := thread e in
  let c := clock_at s e in
  match action e with
  | Acquire _ => set_thread s t c
  | Release m => set_thread (set_lock s m c) t (inc t c)
  | Fork u => set_thread (set_thread s u (join (thread_clock s u) c)) t (inc t c)
  | Join u =>
      match rule with
      | TickChild => set_thread (set_thread s u (inc u (thread_clock s u))) t c
      | LeaveChild => set_thread s t c
      end
  | Read _ | Write _ | Begin | End => s
  end.

Definition ticks rule (s : clocks) (tr : trace) : clocks := fold_left (tick rule) tr s.

Definition clock_of (s : clocks) (p : slot) : clock :=
  match p with
  | ThreadSlot t => thread_clock s t
  | LockSlot m => lock_clock s m
  end.

Lemma clock_of_set_thread s t c p :
  clock_of (set_thread s t c) p = if slot_eq_dec p (ThreadSlot t) then c else clock_of s p.
Proof.
  destruct p as [u | m]; simpl; [unfold thread_clock, set_thread; simpl | destruct (slot_eq_dec _ _); congruence || reflexivity].
  destruct (slot_eq_dec (ThreadSlot u) (ThreadSlot t)) as [[= ->] | H]; [now rewrite PM.gss |].
  rewrite PM.gso by congruence. reflexivity.
Qed.

Lemma clock_of_set_lock s m c p :
  clock_of (set_lock s m c) p = if slot_eq_dec p (LockSlot m) then c else clock_of s p.
Proof.
  destruct p as [u | k]; simpl; [destruct (slot_eq_dec _ _); congruence || reflexivity | unfold lock_clock, set_lock; simpl].
  destruct (slot_eq_dec (LockSlot k) (LockSlot m)) as [[= ->] | H]; [now rewrite PM.gss |].
  rewrite PM.gso by congruence. reflexivity.
Qed.

Lemma ticks_snoc rule s tr e : ticks rule s (tr ++ [e]) = tick rule (ticks rule s tr) e.
Proof. unfold ticks. now rewrite fold_left_app. Qed.

(** What [e] knows, in terms of slots. *)
Lemma clock_at_takes s e v n :
  n <= get (clock_at s e) v <-> exists p, takes e p /\ n <= get (clock_of s p) v.
Proof.
  unfold clock_at, takes. destruct (action e) as [x | x | m | m | u | u | |]; try rewrite get_join; split;
    try (intros H; exists (ThreadSlot (thread e)); split; [tauto | exact H]);
    try (intros (p & [-> | []] & H); exact H).
  - intro H. destruct (Nat.max_spec (get (thread_clock s (thread e)) v) (get (lock_clock s m) v)) as [[_ E] | [_ E]];
      rewrite E in H; [exists (LockSlot m) | exists (ThreadSlot (thread e))]; simpl; auto.
  - intros (p & [-> | ->] & H); simpl in H; lia.
  - intro H. destruct (Nat.max_spec (get (thread_clock s (thread e)) v) (get (thread_clock s u) v)) as [[_ E] | [_ E]];
      rewrite E in H; [exists (ThreadSlot u) | exists (ThreadSlot (thread e))]; simpl; auto.
  - intros (p & [-> | ->] & H); simpl in H; lia.
Qed.

Lemma thread_clock_below_clock_at s e : below (thread_clock s (thread e)) (clock_at s e).
Proof. unfold clock_at. destruct (action e); auto using below_refl, below_join_l. Qed.

(** ** The invariant *)

(** The clocks after a whole trace. *)
Definition run (rule : join_rule) (tr : trace) : clocks := ticks rule initial_clocks tr.

(** The local time of event [i]: its thread's own component when it happens. *)
Definition time rule (tr : trace) (i : nat) : nat :=
  match nth_error tr i with
  | Some e => get (thread_clock (run rule (firstn i tr)) (thread e)) (thread e)
  | None => 0
  end.

Lemma time_snoc_old rule tr e i : i < length tr -> time rule (tr ++ [e]) i = time rule tr i.
Proof.
  intro H. unfold time. rewrite nth_error_app1 by assumption. now rewrite firstn_snoc_old by lia.
Qed.

Lemma time_snoc_new rule tr e :
  time rule (tr ++ [e]) (length tr) = get (thread_clock (run rule tr) (thread e)) (thread e).
Proof. unfold time. rewrite nth_snoc_last, firstn_snoc_old, firstn_all by lia. reflexivity. Qed.

Record exact (rule : join_rule) (tr : trace) : Prop := {
  exact_known : forall p i e, nth_error tr i = Some e ->
    (known tr p i <-> time rule tr i <= get (clock_of (run rule tr) p) (thread e));
  exact_leads : forall t p, ~ joined tr t -> p <> ThreadSlot t ->
    get (clock_of (run rule tr) p) t < get (thread_clock (run rule tr) t) t;
  exact_held : forall m t d, holder tr m = Some (t, d) ->
    below (lock_clock (run rule tr) m) (thread_clock (run rule tr) t);
  exact_positive : forall t, 0 < get (thread_clock (run rule tr) t) t
}.

Lemma thread_clock_initial t : thread_clock initial_clocks t = inc t bottom.
Proof. unfold thread_clock. simpl. now rewrite PM.gempty. Qed.

Lemma lock_clock_initial m : lock_clock initial_clocks m = bottom.
Proof. unfold lock_clock. simpl. now rewrite PM.gempty. Qed.

Lemma exact_nil rule : exact rule [].
Proof.
  assert (Hown : forall t, get (thread_clock (run rule []) t) t = 1).
  { intro t. change (run rule []) with initial_clocks. now rewrite thread_clock_initial, get_inc, Pos.eqb_refl, get_bottom. }
  split.
  - intros p [| i] e H; discriminate.
  - intros t p _ Hp. rewrite Hown. change (run rule []) with initial_clocks. destruct p as [u | m]; simpl.
    + rewrite thread_clock_initial, get_inc. destruct (Pos.eqb_spec t u) as [-> | _]; [congruence |].
      rewrite get_bottom. lia.
    + rewrite lock_clock_initial, get_bottom. lia.
  - discriminate.
  - intro t. rewrite Hown. lia.
Qed.

(** An event that acquires order does not change its thread's own time. *)
Lemma clock_at_own rule tr e :
  exact rule tr -> legal tr e ->
  get (clock_at (run rule tr) e) (thread e) = get (thread_clock (run rule tr) (thread e)) (thread e).
Proof.
  intros H [Hj _]. pose proof (thread_clock_below_clock_at (run rule tr) e (thread e)) as Hge.
  destruct (proj1 (clock_at_takes (run rule tr) e (thread e) _) (le_n _)) as (p & Hp & Hle).
  destruct (slot_eq_dec p (ThreadSlot (thread e))) as [-> | Hne]; [simpl in Hle; lia |].
  pose proof (exact_leads rule tr H (thread e) p Hj Hne). lia.
Qed.

(** What [e] knows is what is HB-before it. *)
Lemma clock_at_exact rule tr e i a :
  exact rule tr -> nth_error tr i = Some a ->
  (path (tr ++ [e]) i (length tr) <-> time rule tr i <= get (clock_at (run rule tr) e) (thread a)).
Proof.
  intros H Ha. rewrite path_snoc_new, clock_at_takes. split; intros (p & Hp & Hk); exists p; (split; [assumption |]).
  - apply (exact_known rule tr H p i a Ha). assumption.
  - apply (exact_known rule tr H p i a Ha). assumption.
Qed.

(** How every clock moves, by what the event feeds. *)
Lemma tick_unfed rule s e p v :
  ~ feeds e p -> v = thread e \/ (forall u, action e = Join u -> p <> ThreadSlot u) ->
  action e <> Join (thread e) ->
  get (clock_of (tick rule s e) p) v = get (clock_of s p) v.
Proof.
  intros Hf Hv Hself. unfold feeds in Hf. unfold tick.
  destruct (action e) as [x | x | m | m | u | u | |] eqn:Ha; try reflexivity.
  - rewrite clock_of_set_thread. destruct (slot_eq_dec _ _); [tauto | reflexivity].
  - rewrite clock_of_set_thread, clock_of_set_lock. repeat destruct (slot_eq_dec _ _); try tauto; reflexivity.
  - rewrite !clock_of_set_thread. repeat destruct (slot_eq_dec _ _); try tauto; reflexivity.
  - destruct rule.
    + rewrite !clock_of_set_thread. destruct (slot_eq_dec p (ThreadSlot (thread e))); [tauto |].
      destruct (slot_eq_dec p (ThreadSlot u)) as [-> | _]; [| reflexivity].
      destruct Hv as [-> | Hv]; [| exfalso; eapply Hv; reflexivity].
      rewrite get_inc. destruct (Pos.eqb_spec (thread e) u) as [E | _]; [congruence | reflexivity].
    + rewrite clock_of_set_thread. destruct (slot_eq_dec _ _); [tauto | reflexivity].
Qed.

Lemma exact_snoc rule tr e : exact rule tr -> legal tr e -> exact rule (tr ++ [e]).
Proof.
  intros H Hl. pose proof Hl as [Hlive Hl'].
  pose proof (clock_at_own rule tr e H Hl) as Hown.
  pose proof (fun i a => clock_at_exact rule tr e i a H) as Hat.
  pose proof (thread_clock_below_clock_at (run rule tr) e) as Hmono.
  assert (Hrun : run rule (tr ++ [e]) = tick rule (run rule tr) e) by apply ticks_snoc.
  assert (Hself : action e <> Join (thread e)) by (intro E; rewrite E in Hl'; congruence).
  assert (Hheld : forall m, action e = Release m -> below (lock_clock (run rule tr) m) (clock_at (run rule tr) e)).
  { intros m E. rewrite E in Hl'. destruct Hl' as (d & Hd).
    eapply below_trans; [eapply exact_held; eassumption | assumption]. }
  assert (Hto : forall i, known tr (ThreadSlot (thread e)) i -> path (tr ++ [e]) i (length tr)).
  { intros i Hi. apply path_snoc_new. exists (ThreadSlot (thread e)). unfold takes. auto. }
  (* The clock of a fed slot is at least what the event knows. *)
  assert (Hfed : forall p, feeds e p -> below (clock_at (run rule tr) e) (clock_of (tick rule (run rule tr) e) p)).
  { intros p [-> | Hp].
    - unfold tick. destruct (action e) eqn:Ha; try (simpl; unfold clock_at; rewrite Ha; apply below_refl);
        try (rewrite clock_of_set_thread; destruct (slot_eq_dec _ _); [apply below_inc || apply below_refl | congruence]).
      destruct rule; rewrite clock_of_set_thread; destruct (slot_eq_dec _ _); try congruence; apply below_refl.
    - unfold tick. destruct (action e) eqn:Ha; try contradiction; subst p.
      + rewrite clock_of_set_thread, clock_of_set_lock. destruct (slot_eq_dec _ _) as [E | _]; [discriminate |].
        destruct (slot_eq_dec _ _); [apply below_refl | congruence].
      + destruct Hl' as [Hne _].
        rewrite !clock_of_set_thread. destruct (slot_eq_dec _ _) as [[= E] | _]; [congruence |].
        destruct (slot_eq_dec _ _); [apply below_join_r | congruence]. }
  (* Every clock only grows. *)
  assert (Hgrow : forall p, below (clock_of (run rule tr) p) (clock_of (tick rule (run rule tr) e) p)).
  { intro p. unfold tick. destruct (action e) eqn:Ha; try apply below_refl.
    - rewrite clock_of_set_thread. destruct (slot_eq_dec _ _) as [-> |]; auto using below_refl.
    - rewrite clock_of_set_thread, clock_of_set_lock. destruct (slot_eq_dec _ _) as [-> |].
      + eapply below_trans; [apply Hmono | apply below_inc].
      + destruct (slot_eq_dec _ _) as [-> |]; [now apply Hheld | apply below_refl].
    - rewrite !clock_of_set_thread. destruct (slot_eq_dec _ _) as [-> |].
      + eapply below_trans; [apply Hmono | apply below_inc].
      + destruct (slot_eq_dec _ _) as [-> |]; [apply below_join_l | apply below_refl].
    - destruct rule; rewrite !clock_of_set_thread; repeat destruct (slot_eq_dec _ _) as [-> |];
        auto using below_refl, below_inc. }
  (* An event of another thread is known in a fed slot only if it was, or if [e] knows it. *)
  assert (Hup : forall p v n, v <> thread e \/ n <= get (thread_clock (run rule tr) v) v ->
    feeds e p -> n <= get (clock_of (tick rule (run rule tr) e) p) v ->
    n <= get (clock_of (run rule tr) p) v \/ n <= get (clock_at (run rule tr) e) v).
  { intros p v n Hv [-> | Hp] Hn.
    - right. unfold tick in Hn.
      assert (Hinc : n <= get (inc (thread e) (clock_at (run rule tr) e)) v -> n <= get (clock_at (run rule tr) e) v).
      { rewrite get_inc. destruct (Pos.eqb_spec v (thread e)) as [-> | _]; [| auto]. intros _.
        destruct Hv as [Hv | Hv]; [congruence | lia]. }
      destruct (action e) eqn:Ha; try exact (Nat.le_trans _ _ _ Hn (Hmono v));
        try (rewrite clock_of_set_thread in Hn; destruct (slot_eq_dec _ _); [auto | congruence]).
      destruct rule; rewrite clock_of_set_thread in Hn; destruct (slot_eq_dec _ _); try congruence; auto.
    - unfold tick in Hn. destruct (action e) eqn:Ha; try contradiction; subst p.
      + rewrite clock_of_set_thread, clock_of_set_lock in Hn. destruct (slot_eq_dec _ _) as [E | _]; [discriminate |].
        destruct (slot_eq_dec _ _); [auto | congruence].
      + destruct Hl' as [Hne _].
        rewrite !clock_of_set_thread in Hn. destruct (slot_eq_dec _ _) as [[= E] | _]; [congruence |].
        destruct (slot_eq_dec _ _); [| congruence]. rewrite get_join in Hn. simpl. lia. }
  assert (Hfeeds : forall p, {feeds e p} + {~ feeds e p}).
  { intro p. unfold feeds. destruct (slot_eq_dec p (ThreadSlot (thread e))); [tauto |].
    destruct (action e) as [| | | m | u | | |]; try tauto;
      [destruct (slot_eq_dec p (LockSlot m)) | destruct (slot_eq_dec p (ThreadSlot u))]; tauto. }
  split; rewrite ?Hrun.
  - intros p i a Ha. rewrite known_snoc. apply nth_snoc_cases in Ha as [[Hi Ha] | [-> ->]].
    + rewrite (time_snoc_old rule tr e i Hi).
      assert (Htime : time rule tr i <= get (thread_clock (run rule tr) (thread a)) (thread a))
        by (apply (exact_known rule tr H (ThreadSlot (thread a)) i a Ha), known_own; assumption).
      split.
      * intros [Hk | [Hf [-> | Hp]]]; [| lia |].
        -- apply (exact_known rule tr H p i a Ha) in Hk. specialize (Hgrow p (thread a)). lia.
        -- apply (Hat i a Ha) in Hp. specialize (Hfed p Hf (thread a)). lia.
      * intro Hn. destruct (Hfeeds p) as [Hf | Hf].
        -- destruct (Hup p (thread a) (time rule tr i) (or_intror Htime) Hf Hn) as [Ho | Ho].
           ++ left. now apply (exact_known rule tr H p i a Ha).
           ++ right. split; [assumption | right]. now apply (Hat i a Ha).
        -- left. apply (exact_known rule tr H p i a Ha).
           (* The joined thread's own clock may tick, but it knows its own events. *)
           destruct (Pos.eq_dec (thread a) (thread e)) as [E | E];
             [rewrite tick_unfed in Hn by auto; assumption |].
           destruct (action e) as [x | x | m | m | u | u | |] eqn:Hact;
             try (rewrite tick_unfed in Hn; rewrite ?Hact; auto; right; congruence).
           destruct (slot_eq_dec p (ThreadSlot u)) as [-> | Hne];
             [| rewrite tick_unfed in Hn; rewrite ?Hact; auto; right; congruence].
           unfold tick in Hn. rewrite Hact in Hn. destruct rule.
           ++ rewrite !clock_of_set_thread in Hn. destruct (slot_eq_dec _ _) as [[= E'] | _]; [congruence |].
              destruct (slot_eq_dec _ _); [| congruence]. rewrite get_inc in Hn.
              destruct (Pos.eqb_spec (thread a) u) as [<- | _]; assumption.
           ++ rewrite clock_of_set_thread in Hn. destruct (slot_eq_dec _ _) as [[= E'] | _]; [congruence |]. assumption.
    + rewrite time_snoc_new. split.
      * intros [Hk | [Hf _]].
        -- exfalso. destruct Hk as (j & b & Hj & Hb & _). apply nth_some_lt in Hb.
           destruct Hj as [Hj | Hj]; [lia | apply path_lt in Hj; lia].
        -- specialize (Hfed p Hf (thread e)). lia.
      * intro Hn. destruct (Hfeeds p) as [Hf | Hf]; [auto |]. exfalso.
        rewrite tick_unfed in Hn by auto.
        assert (Hp : p <> ThreadSlot (thread e)) by (intros ->; apply Hf; unfold feeds; auto).
        pose proof (exact_leads rule tr H (thread e) p Hlive Hp). lia.
  - intros t p Ht Hp. rewrite joined_snoc in Ht.
    assert (Htj : ~ joined tr t) by tauto.
    pose proof (exact_leads rule tr H t) as Hlead.
    destruct (le_lt_dec (get (thread_clock (tick rule (run rule tr) e) t) t) (get (clock_of (tick rule (run rule tr) e) p) t))
      as [Hle | Hlt]; [exfalso | assumption].
    pose proof (Hgrow (ThreadSlot t) t) as Hg. simpl in Hg.
    destruct (Pos.eq_dec t (thread e)) as [-> | Hne].
    + (* The acting thread: what it feeds to others carries its old time, and then it ticks. *)
      unfold tick in Hle. destruct (action e) as [x | x | m | m | u | u | |] eqn:Ha;
        change (thread_clock ?s ?t) with (clock_of s (ThreadSlot t)) in Hle;
        try (simpl in Hle; specialize (Hlead p Htj Hp); lia).
      * rewrite !clock_of_set_thread in Hle. destruct (slot_eq_dec p _); [tauto |].
        destruct (slot_eq_dec _ _); [| tauto]. specialize (Hlead p Htj Hp). lia.
      * rewrite !clock_of_set_thread, !clock_of_set_lock in Hle. destruct (slot_eq_dec p (ThreadSlot _)); [tauto |].
        destruct (slot_eq_dec (ThreadSlot _) (ThreadSlot _)); [| tauto]. rewrite get_inc, Pos.eqb_refl in Hle.
        destruct (slot_eq_dec p (LockSlot m)); [lia |]. specialize (Hlead p Htj Hp). lia.
      * rewrite !clock_of_set_thread in Hle. destruct (slot_eq_dec p (ThreadSlot (thread e))); [tauto |].
        destruct (slot_eq_dec (ThreadSlot (thread e)) (ThreadSlot (thread e))); [| tauto].
        rewrite get_inc, Pos.eqb_refl in Hle. specialize (Hlead p Htj Hp).
        destruct (slot_eq_dec p (ThreadSlot u)) as [-> |]; [rewrite get_join in Hle |]; cbn [clock_of] in *; lia.
      * specialize (Hlead p Htj Hp).
        destruct rule; rewrite !clock_of_set_thread in Hle; destruct (slot_eq_dec p (ThreadSlot (thread e))); try tauto;
          destruct (slot_eq_dec (ThreadSlot (thread e)) (ThreadSlot (thread e))); try tauto; [| lia].
        destruct (slot_eq_dec p (ThreadSlot u)) as [-> |]; [| lia].
        rewrite get_inc in Hle. destruct (Pos.eqb_spec (thread e) u); [congruence |]. cbn [clock_of] in *. lia.
    + (* Another thread: no clock gets a time of it that no clock had. *)
      assert (Hold : get (clock_of (run rule tr) p) t < get (thread_clock (run rule tr) t) t) by (apply Hlead; assumption).
      destruct (Hfeeds p) as [Hf | Hf].
      * destruct (Hup p t _ (or_introl Hne) Hf Hle) as [Ho | Ho]; [lia |].
        apply clock_at_takes in Ho as (q & Hq & Ho).
        destruct (slot_eq_dec q (ThreadSlot t)) as [-> | Hqt]; [| specialize (Hlead q Htj Hqt); lia].
        destruct Hq as [[= Hq] | Hq]; [congruence |].
        destruct (action e) as [| | m | | | u | |] eqn:Ha; try contradiction; try discriminate.
        injection Hq as ->. apply Ht. auto.
      * enough (get (clock_of (tick rule (run rule tr) e) p) t = get (clock_of (run rule tr) p) t) by lia.
        destruct (action e) as [| | | | | u | |] eqn:Ha;
          try (apply tick_unfed; rewrite ?Ha; auto; right; congruence).
        destruct (slot_eq_dec p (ThreadSlot u)) as [-> | Hpu];
          [| apply tick_unfed; rewrite ?Ha; auto; right; congruence].
        unfold tick. rewrite Ha. destruct rule; rewrite !clock_of_set_thread;
          destruct (slot_eq_dec _ _) as [[= E'] | _]; try congruence.
        destruct (slot_eq_dec _ _); [| congruence]. rewrite get_inc.
        destruct (Pos.eqb_spec t u); [congruence | reflexivity].
  - intros m t d Hm. rewrite holder_snoc in Hm. unfold hold_step in Hm.
    pose proof (Hgrow (ThreadSlot t)) as Hgt. simpl in Hgt.
    assert (Hsame : (forall k, action e = Release k -> k <> m) ->
      lock_clock (tick rule (run rule tr) e) m = lock_clock (run rule tr) m).
    { intro Hk. change (clock_of (tick rule (run rule tr) e) (LockSlot m) = clock_of (run rule tr) (LockSlot m)).
      unfold tick. destruct (action e) as [| | | k | | | |] eqn:Ha; try reflexivity; destruct rule;
        rewrite ?clock_of_set_thread, ?clock_of_set_lock; repeat destruct (slot_eq_dec _ _);
        try congruence; try reflexivity; exfalso; (eapply Hk; [reflexivity | congruence]). }
    destruct (action e) as [x | x | k | k | u | u | |] eqn:Ha;
      try (rewrite Hsame by congruence; eapply below_trans; [eapply exact_held; eassumption | exact Hgt]).
    + rewrite Hsame by congruence. destruct (Pos.eqb_spec m k) as [<- | Hmk];
        [| eapply below_trans; [eapply exact_held; eassumption | exact Hgt]].
      destruct (holder tr m) as [[v n] |] eqn:Eh.
      * injection Hm as <- <-. eapply below_trans; [eapply exact_held; eassumption | exact Hgt].
      * injection Hm as <- <-. eapply below_trans; [| apply (Hfed (ThreadSlot (thread e))); unfold feeds; auto].
        unfold clock_at. rewrite Ha. apply below_join_r.
    + destruct (Pos.eqb_spec m k) as [<- | Hmk];
        [| rewrite Hsame by congruence; eapply below_trans; [eapply exact_held; eassumption | exact Hgt]].
      destruct Hl' as (d' & Hd'). rewrite Hd' in Hm. destruct d' as [| d']; [discriminate |]. injection Hm as <- <-.
      change (below (clock_of (tick rule (run rule tr) e) (LockSlot m)) (clock_of (tick rule (run rule tr) e) (ThreadSlot (thread e)))).
      unfold tick. rewrite Ha, !clock_of_set_thread, clock_of_set_lock.
      repeat (destruct (slot_eq_dec _ _); try congruence). apply below_inc.
  - intro t. specialize (Hgrow (ThreadSlot t) t). simpl in Hgrow. pose proof (exact_positive rule tr H t). lia.
Qed.

Theorem well_formed_exact rule tr : well_formed tr -> exact rule tr.
Proof.
  induction tr as [| e tr IH] using rev_ind; intro Hw; [apply exact_nil |].
  apply well_formed_snoc in Hw as [Hw Hl]. apply exact_snoc; auto.
Qed.

Theorem clocks_are_exact rule tr p i e :
  well_formed tr -> nth_error tr i = Some e ->
  (known tr p i <-> time rule tr i <= get (clock_of (run rule tr) p) (thread e)).
Proof. intro Hw. apply exact_known, well_formed_exact, Hw. Qed.

Theorem own_component_leads rule tr t p :
  well_formed tr -> ~ joined tr t -> p <> ThreadSlot t ->
  get (clock_of (run rule tr) p) t < get (thread_clock (run rule tr) t) t.
Proof. intro Hw. apply exact_leads, well_formed_exact, Hw. Qed.

(** ** The repaired Lemma 4

    From any clocks at all: what [i] knew, everything after it knows. *)

(** The clock of event [i]'s thread at [i]. *)
Definition clock_of_event rule (s : clocks) (tr : trace) (i : nat) (e : event) : clock :=
  clock_at (ticks rule s (firstn i tr)) e.

(** [c] has been put into slot [p].  If [p] is a lock that is held, its holder has taken [c]. *)
Definition carries (s : clocks) (tr : trace) (c : clock) (p : slot) : Prop :=
  match p with
  | ThreadSlot t => below c (thread_clock s t)
  | LockSlot m =>
      match holder tr m with
      | None => below c (lock_clock s m)
      | Some (t, _) => below c (thread_clock s t)
      end
  end.

Lemma thread_clock_grows rule s e t : below (thread_clock s t) (thread_clock (tick rule s e) t).
Proof.
  change (below (clock_of s (ThreadSlot t)) (clock_of (tick rule s e) (ThreadSlot t))).
  pose proof (thread_clock_below_clock_at s e) as Hmono.
  assert (Hinc : below (thread_clock s (thread e)) (inc (thread e) (clock_at s e)))
    by (eapply below_trans; [exact Hmono | apply below_inc]).
  unfold tick. destruct (action e); try destruct rule; rewrite ?clock_of_set_thread, ?clock_of_set_lock;
    repeat (destruct (slot_eq_dec _ _) as [[= ->] |]); try congruence;
    auto using below_refl, below_join_l, below_inc.
Qed.

Lemma acting_thread_clock rule s e : below (clock_at s e) (thread_clock (tick rule s e) (thread e)).
Proof.
  change (below (clock_at s e) (clock_of (tick rule s e) (ThreadSlot (thread e)))).
  unfold tick. destruct (action e) eqn:Ha; try destruct rule; rewrite ?clock_of_set_thread;
    try (destruct (slot_eq_dec _ _); [| congruence]); auto using below_refl, below_inc;
    unfold clock_at; rewrite Ha; apply below_refl.
Qed.

Lemma lock_clock_tick rule s e m :
  lock_clock (tick rule s e) m =
  match action e with
  | Release k => if Pos.eqb m k then clock_at s e else lock_clock s m
  | _ => lock_clock s m
  end.
Proof.
  unfold tick. destruct (action e); try destruct rule; try reflexivity;
    unfold lock_clock; simpl; destruct (Pos.eqb_spec m m0) as [-> | H]; rewrite ?PM.gss; try reflexivity;
    now rewrite PM.gso.
Qed.

Lemma carries_on rule s tr e c p :
  legal tr e -> carries (ticks rule s tr) tr c p -> carries (ticks rule s (tr ++ [e])) (tr ++ [e]) c p.
Proof.
  intros [_ Hl] H. rewrite ticks_snoc. destruct p as [t | m]; simpl in *.
  - eapply below_trans; [exact H | apply thread_clock_grows].
  - rewrite holder_snoc. unfold hold_step. rewrite lock_clock_tick.
    assert (Hgrow : forall t, below c (thread_clock (ticks rule s tr) t) ->
      below c (thread_clock (tick rule (ticks rule s tr) e) t))
      by (intros t Ht; eapply below_trans; [exact Ht | apply thread_clock_grows]).
    destruct (action e) as [x | x | k | k | u | u | |] eqn:Ha;
      try (destruct (holder tr m) as [[t d] |] eqn:Eh; auto).
    + destruct (Pos.eqb_spec m k) as [<- |]; [| auto]. auto.
    + destruct (Pos.eqb_spec m k) as [<- |]; [| auto].
      eapply below_trans; [| apply acting_thread_clock]. unfold clock_at. rewrite Ha.
      eapply below_trans; [exact H | apply below_join_r].
    + destruct (Pos.eqb_spec m k) as [<- |]; [| auto]. destruct Hl as (d' & Hd). rewrite Eh in Hd. injection Hd as -> ->.
      destruct d' as [| d']; [| auto]. eapply below_trans; [exact H | apply thread_clock_below_clock_at].
    + destruct (Pos.eqb_spec m k) as [<- |]; [| auto]. destruct Hl as (d' & Hd). congruence.
Qed.

Lemma carries_new rule s tr e p :
  legal tr e -> feeds e p -> carries (ticks rule s (tr ++ [e])) (tr ++ [e]) (clock_at (ticks rule s tr) e) p.
Proof.
  intros [_ Hl] Hf. rewrite ticks_snoc. destruct Hf as [-> | Hf]; [apply acting_thread_clock |].
  destruct (action e) as [x | x | k | k | u | u | |] eqn:Ha; try contradiction; subst p; simpl.
  - rewrite holder_snoc. unfold hold_step. rewrite lock_clock_tick, Ha, Pos.eqb_refl.
    destruct Hl as (d & ->). destruct d; [apply below_refl | apply acting_thread_clock].
  - destruct Hl as [Hne _].
    change (below (clock_at (ticks rule s tr) e) (clock_of (tick rule (ticks rule s tr) e) (ThreadSlot u))).
    unfold tick. rewrite Ha, !clock_of_set_thread. destruct (slot_eq_dec _ _) as [[= E] | _]; [congruence |].
    destruct (slot_eq_dec _ _); [apply below_join_r | congruence].
Qed.

Lemma carried_by_slots rule s tr i a p :
  well_formed tr -> nth_error tr i = Some a -> feeds a p ->
  carries (ticks rule s tr) tr (clock_of_event rule s tr i a) p.
Proof.
  unfold clock_of_event. induction tr as [| e tr IH] using rev_ind; intros Hw Ha Hf; [destruct i; discriminate |].
  apply well_formed_snoc in Hw as [Hw Hl]. apply nth_snoc_cases in Ha as [[Hi Ha] | [-> ->]].
  - rewrite firstn_snoc_old by lia. apply carries_on; auto.
  - rewrite firstn_snoc_old, firstn_all by lia. apply carries_new; assumption.
Qed.

Lemma taken_from_slots s tr e c p :
  legal tr e -> takes e p -> carries s tr c p -> below c (clock_at s e).
Proof.
  intros [_ Hl] Ht H.
  destruct Ht as [-> | Ht]; [eapply below_trans; [exact H | apply thread_clock_below_clock_at] |].
  unfold clock_at. destruct (action e) as [x | x | k | k | u | u | |] eqn:Ha; try contradiction; subst p; simpl in H.
  - destruct Hl as [Hh | (d & Hh)]; rewrite Hh in H; (eapply below_trans; [exact H |]);
      [apply below_join_r | apply below_join_l].
  - eapply below_trans; [exact H | apply below_join_r].
Qed.

Lemma edge_lowers_clocks rule s tr i j a b :
  well_formed tr -> nth_error tr i = Some a -> nth_error tr j = Some b -> edge tr i j ->
  below (clock_of_event rule s tr i a) (clock_of_event rule s tr j b).
Proof.
  intros Hw Ha Hb (Hlt & a' & b' & p & Ha' & Hb' & Hf & Ht).
  rewrite Ha in Ha'. injection Ha' as <-. rewrite Hb in Hb'. injection Hb' as <-.
  unfold clock_of_event at 2. apply taken_from_slots with (tr := firstn j tr) (p := p); [apply Hw, Hb | assumption |].
  replace (clock_of_event rule s tr i a) with (clock_of_event rule s (firstn j tr) i a).
  - apply carried_by_slots; [apply well_formed_prefix, Hw | apply nth_firstn; assumption | assumption].
  - unfold clock_of_event. now rewrite firstn_firstn, Nat.min_l by lia.
Qed.

Theorem happens_before_lowers_clocks rule s tr i j a b :
  well_formed tr -> nth_error tr i = Some a -> nth_error tr j = Some b -> hb tr i j ->
  below (clock_of_event rule s tr i a) (clock_of_event rule s tr j b).
Proof.
  intros Hw Ha Hb H. apply hb_iff_path in H; [| assumption]. revert b Hb.
  induction H as [i j H | i k j H IH Hkj]; intros b Hb; [eapply edge_lowers_clocks; eassumption |].
  pose proof Hkj as (_ & c & _ & _ & Hc & _).
  eapply below_trans; [apply (IH Ha c Hc) | eapply edge_lowers_clocks; eassumption].
Qed.
