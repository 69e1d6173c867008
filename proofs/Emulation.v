(** * Emulation

    The common part of FastTrack and FTO: one epoch represents a clock.  An epoch emulates a clock if every clock that
    contains the epoch contains the whole clock.
    - [tick_source], [entails_tick]: synchronisation preserves emulation, because a clock gets a time only from a clock that
      has it.
    - [entails_now]: only the acting thread knows its present time, so that time emulates everything the thread knows.
    - [metadata_bounded]: VectorClock's metadata has no times from the future.

    C++ twin: none; this is why [Ft2] and [Fto] may drop times that [Unopt] keeps. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder.
From Omen Require VectorClock.
Module VC := VectorClock.

(** E(t) *)
Definition now (s : clocks) (t : tid) : epoch := Epoch (get (thread_clock s t) t) t.

(** Every clock that contains time [c] of [v] also contains time [n] of [u]. *)
Definition entails (s : clocks) (v : tid) (c : nat) (u : tid) (n : nat) : Prop :=
  forall p, c <= get (clock_of s p) v -> n <= get (clock_of s p) u.

(** Definition 1, for all C_u and L_m. *)
Definition emulates (s : clocks) (e : epoch) (V : clock) : Prop :=
  forall u, entails s (epoch_thread e) (epoch_time e) u (get V u).

Lemma emulates_leq s e V p :
  emulates s e V -> get V (epoch_thread e) = epoch_time e ->
  epoch_leq e (clock_of s p) = leq V (clock_of s p).
Proof.
  intros He Hv. apply eq_true_iff_eq. rewrite epoch_leq_spec, leq_below. split.
  - intros H u. apply He, H.
  - intro H. rewrite <- Hv. apply H.
Qed.

(** ** Synchronisation *)

(** No new times: a time that a clock has after a step was in some clock before it. *)
Lemma tick_source rule s e p v c :
  c <= get (thread_clock s v) v -> c <= get (clock_of (tick rule s e) p) v ->
  exists q, c <= get (clock_of s q) v /\ below (clock_of s q) (clock_of (tick rule s e) p).
Proof.
  intros Hc H.
  assert (Hat : forall d, below (clock_at s e) d -> c <= get (clock_at s e) v ->
    exists q, c <= get (clock_of s q) v /\ below (clock_of s q) d).
  { intros d Hd Ha. apply clock_at_takes in Ha as (q & Hq & Hle). exists q. split; [assumption |].
    eapply below_trans; [| exact Hd]. intro u. apply clock_at_takes. eauto. }
  assert (Hinc : forall t d, below d (inc t d) -> c <= get (inc t d) v ->
    c <= get d v \/ v = t).
  { intros t d _ Hd. rewrite get_inc in Hd. destruct (Pos.eqb_spec v t); auto. }
  assert (Hown : forall d, below (clock_at s e) d -> v = thread e ->
    exists q, c <= get (clock_of s q) v /\ below (clock_of s q) d).
  { intros d Hd ->. exists (ThreadSlot (thread e)). split; [exact Hc |].
    eapply below_trans; [apply thread_clock_below_clock_at | exact Hd]. }
  unfold tick in *. destruct (action e) as [x | x | m | m | u | u | |] eqn:Ha; eauto using below_refl.
  - rewrite clock_of_set_thread in *. destruct (slot_eq_dec _ _); eauto using below_refl.
  - rewrite clock_of_set_thread, clock_of_set_lock in *. destruct (slot_eq_dec _ _).
    + destruct (Hinc _ _ (below_inc _ _) H); eauto using below_inc.
    + destruct (slot_eq_dec _ _); eauto using below_refl.
  - rewrite !clock_of_set_thread in *. destruct (slot_eq_dec _ _).
    + destruct (Hinc _ _ (below_inc _ _) H); eauto using below_inc.
    + destruct (slot_eq_dec _ _); eauto using below_refl. rewrite get_join in H.
      destruct (le_lt_dec c (get (thread_clock s u) v)) as [Hle | Hgt].
      * exists (ThreadSlot u). split; [exact Hle | apply below_join_l].
      * apply Hat; [apply below_join_r | lia].
  - destruct rule; rewrite !clock_of_set_thread in *; destruct (slot_eq_dec _ _); eauto using below_refl.
    destruct (slot_eq_dec _ _); eauto using below_refl.
    exists (ThreadSlot u). split; [| apply below_inc]. simpl.
    destruct (Hinc _ _ (below_inc _ _) H) as [Hle | ->]; assumption.
Qed.

Lemma entails_tick rule s e v c u n :
  c <= get (thread_clock s v) v -> entails s v c u n -> entails (tick rule s e) v c u n.
Proof.
  intros Hc H p Hp. destruct (tick_source rule s e p v c Hc Hp) as (q & Hq & Hle).
  specialize (H q Hq). specialize (Hle u). lia.
Qed.

(** ** The state of VectorClock *)

Lemma clock_or_bottom_add m x c y :
  VC.clock_or_bottom (PM.add x c m) y = if Pos.eqb y x then c else VC.clock_or_bottom m y.
Proof.
  unfold VC.clock_or_bottom. destruct (Pos.eqb_spec y x) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso].
Qed.

Lemma positive rule tr e u : well_formed (tr ++ [e]) -> get (thread_clock (run rule tr) u) u <> 0.
Proof.
  intro Hw. apply well_formed_snoc in Hw as [Hw _].
  pose proof (exact_positive rule tr (well_formed_exact rule tr Hw) u). lia.
Qed.

(** The metadata has no times from the future. *)
Lemma metadata_bounded rule tr e :
  well_formed (tr ++ [e]) -> forall x u,
  get (VC.clock_or_bottom (VC.reads (VC.record_all rule tr)) x) u <= get (thread_clock (run rule tr) u) u /\
  get (VC.clock_or_bottom (VC.writes (VC.record_all rule tr)) x) u <= get (thread_clock (run rule tr) u) u.
Proof.
  intros Hw x u. apply well_formed_snoc in Hw as [Hw _].
  assert (H : forall P c, VC.remembers rule tr P c -> get c u <= get (thread_clock (run rule tr) u) u).
  { intros P c [_ Hex]. destruct (Hex u) as [-> | (i & a & Ha & _ & <- & <-)]; [lia |].
    apply (clocks_are_exact rule tr (ThreadSlot (thread a)) i a Hw Ha), known_own, Ha. }
  destruct (VC.metadata_remembers rule tr x Hw). eauto.
Qed.

(** Only the acting thread knows its present time. *)
Lemma entails_now rule tr e :
  well_formed (tr ++ [e]) -> forall u n,
  n <= get (thread_clock (run rule tr) (thread e)) u ->
  entails (run rule tr) (thread e) (get (thread_clock (run rule tr) (thread e)) (thread e)) u n.
Proof.
  intros Hw u n Hn p Hp. destruct (slot_eq_dec p (ThreadSlot (thread e))) as [-> | Hne]; [exact Hn |].
  apply well_formed_snoc in Hw as [Hw [Hl _]].
  pose proof (own_component_leads rule tr (thread e) p Hw Hl Hne). lia.
Qed.
