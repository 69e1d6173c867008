(** * FastTrack

    The optimised detector, Figure 3 of "Verifying Dynamic Race Detection": the last write of a variable is an epoch, and its
    reads are an epoch or, when they are concurrent, a clock.
    - [step]: the transition relation, rule by rule.  As in the paper, rules overlap; [next] is a function that picks the
      cheapest rule; [next_is_step] and [next_stuck] say that it is a strategy for the relation.
    - [bisimulation] (Lemma 1): FastTrack and VectorClock take the same steps, and stay related.
    - [fast_track_sound_and_complete] (Theorem 2), [fast_track_first_race].
    - [lemma_4]: the repaired Lemma 4 of the direct proof.  The event b may be stuck.

    A release assigns to the lock's clock.  All theorems hold for both join rules.

    C++ twin: [Ft2<Hb>] ([LeaveChild]). *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Detector Emulation.
From Omen Require VectorClock.
Module VC := VectorClock.

(** ** The algorithm *)

(** C++ twin: [AccessWords::read], with [SharedReads]. *)
Inductive read_metadata := ReadEpoch (r : epoch) | ReadClock (c : clock).

(** C++ twin: [Hb], and [AccessHistory]. *)
Record state := State { sync : clocks; reads : PM.t read_metadata; writes : PM.t epoch }.

Definition read_of (m : PM.t read_metadata) (x : var) : read_metadata :=
  match PM.find x m with
  | Some r => r
  | None => ReadEpoch no_epoch
  end.

Definition write_of (m : PM.t epoch) (x : var) : epoch :=
  match PM.find x m with
  | Some w => w
  | None => no_epoch
  end.

Definition initial : state := State initial_clocks (PM.empty _) (PM.empty _).

Definition is_access (a : operation) : bool :=
  match a with
  | Read _ | Write _ => true
  | _ => false
  end.

(** Figure 3.  Fork, join, acquire and release are VectorClock's.  [ReadSharedSameEpoch] is not in the figure; FTO and the C++
    have it. *)
Inductive step (rule : join_rule) : state -> event -> state -> Prop :=
| SyncRule s R W e :
    is_access (action e) = false ->
    step rule (State s R W) e (State (tick rule s e) R W)
| ReadSameEpoch s R W t x :
    read_of R x = ReadEpoch (now s t) ->
    step rule (State s R W) (Event t (Read x)) (State s R W)
| ReadSharedSameEpoch s R W t x c :
    read_of R x = ReadClock c -> get c t = get (thread_clock s t) t ->
    step rule (State s R W) (Event t (Read x)) (State s R W)
| ReadShared s R W t x c :
    read_of R x = ReadClock c ->
    epoch_leq (write_of W x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Read x))
      (State s (PM.add x (ReadClock (put c t (get (thread_clock s t) t))) R) W)
| ReadExclusive s R W t x r :
    read_of R x = ReadEpoch r ->
    epoch_leq r (thread_clock s t) = true ->
    epoch_leq (write_of W x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Read x)) (State s (PM.add x (ReadEpoch (now s t)) R) W)
| ReadShare s R W t x r :
    read_of R x = ReadEpoch r ->
    epoch_leq (write_of W x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Read x))
      (State s (PM.add x (ReadClock (put (put bottom (epoch_thread r) (epoch_time r)) t (get (thread_clock s t) t))) R) W)
| WriteSameEpoch s R W t x :
    write_of W x = now s t ->
    step rule (State s R W) (Event t (Write x)) (State s R W)
| WriteExclusive s R W t x r :
    read_of R x = ReadEpoch r ->
    epoch_leq r (thread_clock s t) = true ->
    epoch_leq (write_of W x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Write x)) (State s R (PM.add x (now s t) W))
| WriteShared s R W t x c :
    read_of R x = ReadClock c ->
    leq c (thread_clock s t) = true ->
    epoch_leq (write_of W x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Write x))
      (State s (PM.add x (ReadEpoch no_epoch) R) (PM.add x (now s t) W)).

Inductive steps (rule : join_rule) : state -> trace -> state -> Prop :=
| steps_nil s : steps rule s [] s
| steps_snoc s tr s1 e s2 : steps rule s tr s1 -> step rule s1 e s2 -> steps rule s (tr ++ [e]) s2.

(** C++ twin: [Ft2::read] and [Ft2::write], until the first race. *)
Definition next (rule : join_rule) (f : state) (e : event) : option state :=
  let s := sync f in
  let t := thread e in
  let c := thread_clock s t in
  match action e with
  | Read x =>
      match read_of (reads f) x with
      | ReadEpoch r =>
          if epoch_eqb r (now s t) then Some f
          else if epoch_leq (write_of (writes f) x) c then
            if epoch_leq r c
            then Some (State s (PM.add x (ReadEpoch (now s t)) (reads f)) (writes f))
            else Some (State s (PM.add x (ReadClock (put (put bottom (epoch_thread r) (epoch_time r)) t (get c t))) (reads f))
                             (writes f))
          else None
      | ReadClock v =>
          if Nat.eqb (get v t) (get c t) then Some f
          else if epoch_leq (write_of (writes f) x) c
          then Some (State s (PM.add x (ReadClock (put v t (get c t))) (reads f)) (writes f))
          else None
      end
  | Write x =>
      if epoch_eqb (write_of (writes f) x) (now s t) then Some f
      else if epoch_leq (write_of (writes f) x) c then
        match read_of (reads f) x with
        | ReadEpoch r =>
            if epoch_leq r c then Some (State s (reads f) (PM.add x (now s t) (writes f))) else None
        | ReadClock v =>
            if leq v c
            then Some (State s (PM.add x (ReadEpoch no_epoch) (reads f)) (PM.add x (now s t) (writes f)))
            else None
        end
      else None
  | _ => Some (State (tick rule s e) (reads f) (writes f))
  end.

Theorem next_is_step rule f e f' : next rule f e = Some f' -> step rule f e f'.
Proof.
  destruct f as [s R W], e as [t a]. unfold next. simpl.
  destruct a as [x | x | | | | | |]; try (intros [= <-]; now constructor).
  - destruct (read_of R x) as [r | c] eqn:Er.
    + destruct (epoch_eqb r (now s t)) eqn:Ee.
      { intros [= <-]. apply epoch_eqb_spec in Ee as ->. now constructor. }
      destruct (epoch_leq (write_of W x) _) eqn:Ew; [| discriminate].
      destruct (epoch_leq r _) eqn:El; intros [= <-]; [eapply ReadExclusive | eapply ReadShare]; eassumption.
    + destruct (Nat.eqb_spec (get c t) (get (thread_clock s t) t)).
      { intros [= <-]. eapply ReadSharedSameEpoch; eassumption. }
      destruct (epoch_leq (write_of W x) _) eqn:Ew; [| discriminate]. intros [= <-]. now apply ReadShared.
  - destruct (epoch_eqb (write_of W x) (now s t)) eqn:Ee.
    { intros [= <-]. apply epoch_eqb_spec in Ee. now constructor. }
    destruct (epoch_leq (write_of W x) _) eqn:Ew; [| discriminate].
    destruct (read_of R x) as [r | c] eqn:Er.
    + destruct (epoch_leq r _) eqn:El; [| discriminate]. intros [= <-]. eapply WriteExclusive; eassumption.
    + destruct (leq c _) eqn:El; [| discriminate]. intros [= <-]. eapply WriteShared; eassumption.
Qed.

Theorem next_stuck rule f e : next rule f e = None <-> forall f', ~ step rule f e f'.
Proof.
  split.
  - intros H f' Hs. unfold next in H. destruct Hs as
      [s R W e Ha | s R W t x Hr | s R W t x c Hr Hc | s R W t x c Hr Hw | s R W t x r Hr Hl Hw | s R W t x r Hr Hw | s R W t x Hw
      | s R W t x r Hr Hl Hw | s R W t x c Hr Hl Hw]; simpl in H; try (destruct (action e); discriminate);
      rewrite ?Hr, ?Hl, ?Hw in H; try discriminate.
    + rewrite (proj2 (epoch_eqb_spec _ _) eq_refl) in H. discriminate.
    + rewrite Hc, Nat.eqb_refl in H. discriminate.
    + destruct (Nat.eqb _ _); discriminate.
    + destruct (epoch_eqb _ _); discriminate.
    + destruct (epoch_eqb _ _); [discriminate |]. destruct (epoch_leq r (thread_clock s t)); discriminate.
    + rewrite (proj2 (epoch_eqb_spec _ _) eq_refl) in H. discriminate.
    + destruct (epoch_eqb _ _); discriminate.
    + destruct (epoch_eqb _ _); discriminate.
  - intro H. destruct (next rule f e) as [f' |] eqn:E; [| reflexivity].
    exfalso. apply (H f'). apply next_is_step, E.
Qed.

Lemma read_of_add m x r y : read_of (PM.add x r m) y = if Pos.eqb y x then r else read_of m y.
Proof. unfold read_of. destruct (Pos.eqb_spec y x) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso]. Qed.

Lemma write_of_add m x w y : write_of (PM.add x w m) y = if Pos.eqb y x then w else write_of m y.
Proof. unfold write_of. destruct (Pos.eqb_spec y x) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso]. Qed.

(** ** Emulation *)

(** Definition 2, for all C_u and L_m. *)
Definition partially_emulates (s : clocks) (V0 V : clock) : Prop :=
  exists t, forall u,
    (get V0 u = 0 -> entails s t (get V0 t) u (get V u)) /\
    (get V0 u <> 0 -> entails s u (get V0 u) u (get V u)).

Definition read_get (r : read_metadata) (t : tid) : nat :=
  match r with
  | ReadEpoch e => epoch_get e t
  | ReadClock c => get c t
  end.

(** Definition 3, for one variable: R and W of VectorClock, r and w of FastTrack. *)
Record emulated (s : clocks) (R W : clock) (r : read_metadata) (w : epoch) : Prop := {
  write_time : get W (epoch_thread w) = epoch_time w;
  write_emulates : emulates s w W;
  read_below : forall t, read_get r t <= get R t;
  read_emulates :
    match r with
    | ReadEpoch e =>
        if Nat.eqb (epoch_time e) 0 then emulates s w R
        else get R (epoch_thread e) = epoch_time e /\ emulates s e R
    | ReadClock V => partially_emulates s V R
    end
}.

(** Definition 3. *)
Definition related (v : VC.state) (f : state) : Prop :=
  sync f = VC.sync v /\
  forall x, emulated (VC.sync v) (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x)
                     (read_of (reads f) x) (write_of (writes f) x).

Lemma initial_related : related VC.initial initial.
Proof.
  split; [reflexivity |]. intro x. unfold VC.clock_or_bottom, read_of, write_of. simpl. rewrite !PM.gempty.
  assert (E : emulates initial_clocks no_epoch bottom) by (intros u p _; rewrite get_bottom; lia).
  split; simpl; auto.
  intro t. unfold epoch_get. destruct (Pos.eqb _ _); simpl; lia.
Qed.

(** ** One step *)

Section Step.

Context (rule : join_rule) (tr : trace) (e : event).
Context (Hw : well_formed (tr ++ [e])) (Hfree : race_free tr).

Let v := VC.record_all rule tr.
Let s := run rule tr.
Let t := thread e.

Let sync_is_run : VC.sync v = s.
Proof. apply VC.record_all_sync. Qed.

Context (f : state) (Hrel : related v f).

Let Hsync : sync f = s.
Proof. destruct Hrel as [H _]. rewrite H. apply sync_is_run. Qed.

Lemma emulated_at x :
  emulated s (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x)
           (read_of (reads f) x) (write_of (writes f) x).
Proof. destruct Hrel as [_ H]. specialize (H x). now rewrite sync_is_run in H. Qed.

(** The two systems make the same comparisons. *)
Lemma write_check x :
  epoch_leq (write_of (writes f) x) (thread_clock s t) =
  leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock s t).
Proof.
  destruct (emulated_at x) as [Htime Hem _ _]. exact (emulates_leq s _ _ (ThreadSlot t) Hem Htime).
Qed.

Lemma read_check_epoch x r :
  read_of (reads f) x = ReadEpoch r ->
  epoch_leq (write_of (writes f) x) (thread_clock s t) = true ->
  epoch_leq r (thread_clock s t) = leq (VC.clock_or_bottom (VC.reads v) x) (thread_clock s t).
Proof.
  intros Hr Hwr. destruct (emulated_at x) as [_ _ _ Hrd]. rewrite Hr in Hrd.
  destruct (Nat.eqb_spec (epoch_time r) 0) as [E | E].
  - transitivity true; [apply epoch_leq_spec; lia | symmetry]. apply leq_below. intro u.
    apply (Hrd u (ThreadSlot t)). now apply epoch_leq_spec.
  - destruct Hrd as [Htime Hem]. exact (emulates_leq s _ _ (ThreadSlot t) Hem Htime).
Qed.

Lemma read_check_clock x c :
  read_of (reads f) x = ReadClock c ->
  leq c (thread_clock s t) = leq (VC.clock_or_bottom (VC.reads v) x) (thread_clock s t).
Proof.
  intro Hr. destruct (emulated_at x) as [_ _ Hle Hrd]. rewrite Hr in Hle, Hrd. destruct Hrd as [w Hrd].
  apply eq_true_iff_eq. rewrite !leq_below. split.
  - intros H u. destruct (Hrd u) as [Hz Hnz]. destruct (Nat.eq_dec (get c u) 0) as [E | E].
    + apply (Hz E (ThreadSlot t)), H.
    + apply (Hnz E (ThreadSlot t)), H.
  - intros H u. specialize (Hle u). specialize (H u). simpl in Hle. lia.
Qed.

(** How metadata changes at one variable. *)
Lemma related_access x R' W' (r' : read_metadata) (w' : epoch) R1 W1 R2 W2 :
  (forall y, VC.clock_or_bottom R1 y = if Pos.eqb y x then R' else VC.clock_or_bottom (VC.reads v) y) ->
  (forall y, VC.clock_or_bottom W1 y = if Pos.eqb y x then W' else VC.clock_or_bottom (VC.writes v) y) ->
  (forall y, read_of R2 y = if Pos.eqb y x then r' else read_of (reads f) y) ->
  (forall y, write_of W2 y = if Pos.eqb y x then w' else write_of (writes f) y) ->
  emulated s R' W' r' w' ->
  related (VC.State s R1 W1) (State s R2 W2).
Proof.
  intros H1 H2 H3 H4 Hem. split; [reflexivity |]. intro y. simpl.
  rewrite H1, H2, H3, H4. destruct (Pos.eqb y x); [assumption | apply emulated_at].
Qed.

(** A step of FastTrack: no race, and VectorClock's next state is related. *)
Lemma step_preserves f' :
  step rule f e f' -> VC.races v e = false /\ related (VC.record rule v e) f'.
Proof.
  intro Hstep.
  assert (Hsame : VC.no_change v e = true -> VC.races v e = false /\ related (VC.record rule v e) f).
  { intro Hnc. destruct (VC.no_change_is_safe rule tr e Hw Hfree Hnc) as [Hno Hrec]. fold v in Hrec. rewrite Hrec.
    split; [| assumption]. destruct (VC.races v e) eqn:E; [| reflexivity].
    exfalso. apply Hno, (VC.reports_exactly_the_races rule); assumption. }
  pose proof sync_is_run as Hvs. pose proof (positive rule tr e t Hw) as Hpos. fold s in Hpos.
  assert (Hid : forall m x y, VC.clock_or_bottom m y = if Pos.eqb y x then VC.clock_or_bottom m x else VC.clock_or_bottom m y)
    by (intros m x y; destruct (Pos.eqb_spec y x) as [-> |]; reflexivity).
  assert (Hidr : forall m x y, read_of m y = if Pos.eqb y x then read_of m x else read_of m y)
    by (intros m x y; destruct (Pos.eqb_spec y x) as [-> |]; reflexivity).
  assert (Hidw : forall m x y, write_of m y = if Pos.eqb y x then write_of m x else write_of m y)
    by (intros m x y; destruct (Pos.eqb_spec y x) as [-> |]; reflexivity).
  (* After a read, when R is known to the reader or not. *)
  assert (Hread : forall x r', action e = Read x ->
    leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock s t) = true ->
    emulated s (put (VC.clock_or_bottom (VC.reads v) x) t (get (thread_clock s t) t))
             (VC.clock_or_bottom (VC.writes v) x) r' (write_of (writes f) x) ->
    VC.races v e = false /\ related (VC.record rule v e) (State s (PM.add x r' (reads f)) (writes f))).
  { intros x r' Ha Hc Hem. unfold VC.races, VC.record. rewrite Ha, Hvs. fold t. rewrite Hc. split; [reflexivity |].
    eapply related_access with (x := x); eauto using clock_or_bottom_add, read_of_add. }
  assert (Hwrite : forall x R2, action e = Write x ->
    leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock s t) = true ->
    leq (VC.clock_or_bottom (VC.reads v) x) (thread_clock s t) = true ->
    (forall y, y <> x -> read_of R2 y = read_of (reads f) y) ->
    emulated s (VC.clock_or_bottom (VC.reads v) x)
             (put (VC.clock_or_bottom (VC.writes v) x) t (get (thread_clock s t) t)) (read_of R2 x) (now s t) ->
    VC.races v e = false /\ related (VC.record rule v e) (State s R2 (PM.add x (now s t) (writes f)))).
  { intros x R2 Ha Hc Hr HR2 Hem. unfold VC.races, VC.record. rewrite Ha, Hvs. fold t. rewrite Hc, Hr. split; [reflexivity |].
    eapply related_access with (x := x) (r' := read_of R2 x); eauto using clock_or_bottom_add, write_of_add.
    intro y. destruct (Pos.eqb_spec y x) as [-> | Hne]; [reflexivity | auto]. }
  pose proof emulated_at as Hem. pose proof write_check as Hwc.
  pose proof read_check_epoch as Hre. pose proof read_check_clock as Hrc.
  pose proof (metadata_bounded rule tr e Hw) as Hbound. pose proof (entails_now rule tr e Hw) as Hnow.
  fold v s in Hbound. fold s t in Hnow.
  assert (Hemnow : forall V, (forall u, get V u <= get (thread_clock s t) u) -> emulates s (now s t) V)
    by (intros V H u; apply Hnow, H).
  clearbody v. destruct f as [fs R W]. simpl in Hsync. subst fs. unfold t in *. clear t. simpl in *.
  remember s as s' eqn:Es in Hstep at 1. remember e as e' eqn:Ee in Hstep.
  remember (State s' R W) as f0 eqn:Ef in Hstep.
  destruct Hstep as
    [s1 R1 W1 e1 Ha | s1 R1 W1 t1 x Hr | s1 R1 W1 t1 x c Hr Hnow' | s1 R1 W1 t1 x c Hr Hwr | s1 R1 W1 t1 x r Hr Hl Hwr | s1 R1 W1 t1 x r Hr Hwr
    | s1 R1 W1 t1 x Hwr | s1 R1 W1 t1 x r Hr Hl Hwr | s1 R1 W1 t1 x c Hr Hl Hwr];
    injection Ef as -> -> ->; subst s'; subst e1 || subst e; simpl in *.
  - (* synchronisation *)
    split; [unfold VC.races; destruct (action e); try discriminate; reflexivity |].
    assert (E : VC.record rule v e = VC.State (tick rule s e) (VC.reads v) (VC.writes v))
      by (unfold VC.record; rewrite Hvs; destruct (action e); try discriminate; reflexivity).
    rewrite E. split; [reflexivity |]. intro x. simpl. destruct (Hem x) as [Ht He Hle Hrd]. split; auto.
    + intro u. apply entails_tick; [| apply He]. rewrite <- Ht. apply Hbound.
    + destruct (read_of R x) as [r | V].
      * destruct (Nat.eqb (epoch_time r) 0).
        -- intro u. apply entails_tick; [| apply Hrd]. rewrite <- Ht. apply Hbound.
        -- destruct Hrd as [Hrt Hre']. split; [assumption |]. intro u. apply entails_tick; [| apply Hre'].
           rewrite <- Hrt. apply Hbound.
      * destruct Hrd as [w Hrd]. exists w. intro u. destruct (Hrd u) as [Hz Hnz].
        assert (Hb : forall q, get V q <= get (thread_clock s q) q)
          by (intro q; specialize (Hle q); simpl in Hle; pose proof (proj1 (Hbound x q)); lia).
        split; intro H0; apply entails_tick; auto.
  - (* ReadSameEpoch *)
    apply Hsame. unfold VC.no_change. simpl. rewrite Hvs. apply Nat.eqb_eq.
    destruct (Hem x) as [_ _ _ Hrd]. rewrite Hr in Hrd. simpl in Hrd.
    destruct (Nat.eqb_spec (get (thread_clock s t1) t1) 0) as [E | _]; [contradiction |]. apply Hrd.
  - (* ReadSharedSameEpoch *)
    apply Hsame. unfold VC.no_change. simpl. rewrite Hvs. apply Nat.eqb_eq.
    destruct (Hem x) as [_ _ Hle _]. rewrite Hr in Hle. specialize (Hle t1). simpl in Hle.
    pose proof (proj1 (Hbound x t1)). lia.
  - (* ReadShared *)
    rewrite Hwc in Hwr. apply Hread; auto. destruct (Hem x) as [Ht He Hle Hrd]. rewrite Hr in Hle, Hrd. simpl in Hle.
    split; auto.
    + intro u. simpl. rewrite !get_put. destruct (Pos.eqb u t1); auto.
    + destruct Hrd as [w Hrd]. exists w. intro u. rewrite !get_put.
      destruct (Pos.eqb_spec u t1) as [-> | Hu].
      * split; [intro; contradiction |]. intros _ p Hp. exact Hp.
      * destruct (Hrd u) as [Hz Hnz]. split; [| assumption]. intro H0.
        destruct (Pos.eqb_spec w t1) as [-> | Hwt1]; [| auto].
        apply Hnow. apply (Hz H0 (ThreadSlot t1)). simpl.
        specialize (Hle t1). pose proof (proj1 (Hbound x t1)). lia.
  - (* ReadExclusive *)
    pose proof (Hre x r Hr Hwr) as Hrr. rewrite Hl in Hrr. symmetry in Hrr. rewrite Hwc in Hwr.
    apply Hread; auto. destruct (Hem x) as [Ht He Hle Hrd]. split; auto.
    + intro u. simpl. unfold epoch_get. simpl. rewrite get_put. destruct (Pos.eqb u t1); lia.
    + simpl. destruct (Nat.eqb_spec (get (thread_clock s t1) t1) 0) as [E | _]; [contradiction |].
      split; [apply get_put_same |]. apply Hemnow. intro u. rewrite get_put.
      destruct (Pos.eqb_spec u t1) as [-> |]; [lia |]. apply leq_below in Hrr. apply Hrr.
  - (* ReadShare *)
    pose proof (Hre x r Hr Hwr) as Hrr. rewrite Hwc in Hwr.
    apply Hread; auto. destruct (Hem x) as [Ht He Hle Hrd]. rewrite Hr in Hle, Hrd.
    assert (Hrle : epoch_time r <= get (VC.clock_or_bottom (VC.reads v) x) (epoch_thread r))
      by (specialize (Hle (epoch_thread r)); simpl in Hle; unfold epoch_get in Hle; rewrite Pos.eqb_refl in Hle; exact Hle).
    split; auto.
    + intro u. simpl. rewrite !get_put, get_bottom.
      destruct (Pos.eqb_spec u t1); [lia |]. destruct (Pos.eqb_spec u (epoch_thread r)) as [-> |]; lia.
    + destruct (leq (VC.clock_or_bottom (VC.reads v) x) (thread_clock s t1)) eqn:El.
      * (* all earlier reads are known: the reader emulates them *)
        apply leq_below in El. exists t1. intro u. rewrite !get_put, Pos.eqb_refl, get_bottom.
        destruct (Pos.eqb_spec u t1) as [-> | Hu]; [split; [contradiction | intros _ p Hp; exact Hp] |].
        split; [intros _; apply Hnow, El |].
        destruct (Pos.eqb_spec u (epoch_thread r)) as [-> | Hur]; [| contradiction]. intros H0 p Hp.
        destruct (Nat.eqb_spec (epoch_time r) 0) as [E | _]; [contradiction |]. destruct Hrd as [-> _]. exact Hp.
      * (* a concurrent read: the old epoch still emulates the same clock *)
        assert (Hr0 : epoch_time r <> 0) by (intro E; unfold epoch_leq in Hrr; rewrite E in Hrr; discriminate).
        destruct (Nat.eqb_spec (epoch_time r) 0) as [E | _]; [contradiction |]. destruct Hrd as [Hrt Hrd].
        assert (Hrt1 : epoch_thread r <> t1).
        { intro E. unfold epoch_leq in Hrr. rewrite <- Hrt, E in Hrr. apply Nat.leb_gt in Hrr.
          pose proof (proj1 (Hbound x t1)). lia. }
        exists (epoch_thread r). intro u. rewrite !get_put, Pos.eqb_refl, get_bottom.
        destruct (Pos.eqb_spec (epoch_thread r) t1) as [E | _]; [contradiction |].
        destruct (Pos.eqb_spec u t1) as [-> | Hu]; [split; [contradiction | intros _ p Hp; exact Hp] |].
        split; [intros _; apply Hrd |].
        destruct (Pos.eqb_spec u (epoch_thread r)) as [-> | Hur]; [| contradiction].
        intros _ p Hp. rewrite Hrt. exact Hp.
  - (* WriteSameEpoch *)
    apply Hsame. unfold VC.no_change. simpl. rewrite Hvs. apply Nat.eqb_eq.
    destruct (Hem x) as [Ht _ _ _]. rewrite Hwr in Ht. exact Ht.
  - (* WriteExclusive *)
    pose proof (Hre x r Hr Hwr) as Hrr. rewrite Hl in Hrr. symmetry in Hrr. rewrite Hwc in Hwr.
    apply Hwrite; auto. destruct (Hem x) as [Ht He Hle Hrd]. apply leq_below in Hwr, Hrr. split; auto.
    + apply get_put_same.
    + apply Hemnow. intro u. rewrite get_put. destruct (Pos.eqb_spec u t1) as [-> |]; [lia | apply Hwr].
    + rewrite Hr in *. destruct (Nat.eqb (epoch_time r) 0); [| assumption]. apply Hemnow, Hrr.
  - (* WriteShared *)
    rewrite (Hrc x c Hr) in Hl. rewrite Hwc in Hwr. pose proof Hl as Hl'. pose proof Hwr as Hwr'.
    apply leq_below in Hl', Hwr'.
    apply Hwrite; auto.
    + intros y Hy. unfold read_of. now rewrite PM.gso.
    + rewrite read_of_add, Pos.eqb_refl. destruct (Hem x) as [Ht He Hle Hrd]. split; auto.
      * apply get_put_same.
      * apply Hemnow. intro u. rewrite get_put. destruct (Pos.eqb_spec u t1) as [-> |]; [lia | apply Hwr'].
      * intro u. simpl. unfold epoch_get. destruct (Pos.eqb u _); simpl; lia.
      * simpl. apply Hemnow, Hl'.
Qed.

(** If there is no race, FastTrack has a step. *)
Lemma step_progress : VC.races v e = false -> exists f', next rule f e = Some f'.
Proof.
  intro Hno. unfold VC.races in Hno. rewrite sync_is_run in Hno. fold t in Hno.
  unfold next. rewrite Hsync. fold t.
  destruct (action e) as [x | x | | | | | |] eqn:Ha; eauto.
  - apply negb_false_iff in Hno. rewrite <- write_check in Hno. rewrite Hno.
    destruct (read_of (reads f) x) as [r | c]; [| destruct (Nat.eqb _ _); eauto]. destruct (epoch_eqb r (now s t)); [eauto |].
    destruct (epoch_leq r (thread_clock s t)); eauto.
  - apply negb_false_iff, andb_true_iff in Hno as [Hnw Hnr]. rewrite <- write_check in Hnw. rewrite Hnw.
    destruct (epoch_eqb _ _); [eauto |]. destruct (read_of (reads f) x) as [r | c] eqn:Er.
    + rewrite (read_check_epoch x r Er Hnw), Hnr. eauto.
    + rewrite (read_check_clock x c Er), Hnr. eauto.
Qed.

End Step.

(** ** Lemma 1 *)

Theorem bisimulation rule tr e v f :
  well_formed (tr ++ [e]) -> VC.steps rule VC.initial tr v -> related v f ->
  (forall v', VC.step rule v e v' -> exists f', step rule f e f' /\ related v' f') /\
  (forall f', step rule f e f' -> exists v', VC.step rule v e v' /\ related v' f').
Proof.
  intros Hw Hv Hrel. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  apply VC.steps_iff_run in Hv; [| assumption]. apply VC.run_next in Hv as [Hfree ->]; [| assumption].
  assert (Hnext : forall v', VC.next rule (VC.record_all rule tr) e = Some v' <->
    VC.races (VC.record_all rule tr) e = false /\ v' = VC.record rule (VC.record_all rule tr) e).
  { intro v'. unfold VC.next. destruct (VC.no_change _ e) eqn:Enc.
    - destruct (VC.no_change_is_safe rule tr e Hw Hfree Enc) as [Hno ->].
      rewrite <- (VC.reports_exactly_the_races rule) in Hno by assumption.
      apply not_true_is_false in Hno. rewrite Hno. intuition congruence.
    - destruct (VC.races _ e); intuition congruence. }
  split.
  - intros v' Hstep. apply VC.step_iff_next in Hstep; [| assumption | assumption].
    apply Hnext in Hstep as [Hno ->].
    destruct (step_progress rule tr e f Hrel Hno) as [f' Hf]. exists f'.
    apply next_is_step in Hf. split; [assumption |]. eapply step_preserves; eassumption.
  - intros f' Hstep. destruct (step_preserves rule tr e Hw Hfree f Hrel f' Hstep) as [Hno Hr].
    exists (VC.record rule (VC.record_all rule tr) e). split; [| assumption].
    apply VC.step_iff_next; [assumption | assumption |]. now apply Hnext.
Qed.

(** ** Theorem 2 *)

Lemma steps_nil_inv rule s s' : steps rule s [] s' -> s' = s.
Proof.
  intro H. remember [] as tr eqn:E. destruct H as [| s tr s1 e s2 _ _]; [reflexivity | destruct tr; discriminate].
Qed.

Lemma steps_snoc_inv rule s tr e s2 :
  steps rule s (tr ++ [e]) s2 -> exists s1, steps rule s tr s1 /\ step rule s1 e s2.
Proof.
  intro H. remember (tr ++ [e]) as tr' eqn:E. destruct H as [s | s tr0 s1 e0 s2 H1 H2]; [destruct tr; discriminate |].
  apply app_inj_tail in E as [-> ->]. eauto.
Qed.

Lemma steps_related rule tr f :
  well_formed tr -> steps rule initial tr f -> exists v, VC.steps rule VC.initial tr v /\ related v f.
Proof.
  revert f. induction tr as [| e tr IH] using rev_ind; intros f Hw Hf.
  - apply steps_nil_inv in Hf as ->. exists VC.initial. split; [constructor | apply initial_related].
  - pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
    apply steps_snoc_inv in Hf as (f1 & H1 & H2). destruct (IH _ Hwt H1) as (v & Hv & Hrel).
    destruct (proj2 (bisimulation rule tr e v f1 Hw Hv Hrel) f H2) as (v' & Hstep & Hrel').
    exists v'. split; [econstructor; eassumption | assumption].
Qed.

Lemma vector_clock_steps_related rule tr v :
  well_formed tr -> VC.steps rule VC.initial tr v -> exists f, steps rule initial tr f /\ related v f.
Proof.
  revert v. induction tr as [| e tr IH] using rev_ind; intros v Hw Hv.
  - apply VC.steps_nil_inv in Hv as ->. exists initial. split; [constructor | apply initial_related].
  - pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
    apply VC.steps_snoc_inv in Hv as (v1 & H1 & H2). destruct (IH _ Hwt H1) as (f & Hf & Hrel).
    destruct (proj1 (bisimulation rule tr e v1 f Hw H1 Hrel) v H2) as (f' & Hstep & Hrel').
    exists f'. split; [econstructor; eassumption | assumption].
Qed.

Theorem fast_track_sound_and_complete rule tr :
  well_formed tr -> ((exists f, steps rule initial tr f) <-> race_free tr).
Proof.
  intro Hw. rewrite <- (VC.vector_clock_sound_and_complete rule) by assumption. split.
  - intros [f Hf]. destruct (steps_related rule tr f Hw Hf) as (v & Hv & _). eauto.
  - intros [v Hv]. destruct (vector_clock_steps_related rule tr v Hw Hv) as (f & Hf & _). eauto.
Qed.

(** The relation is stuck exactly at racy events, whichever rules were chosen before. *)
Theorem fast_track_stuck_iff_racy rule tr e f :
  well_formed (tr ++ [e]) -> steps rule initial tr f ->
  ((forall f', ~ step rule f e f') <-> racy (tr ++ [e]) (length tr)).
Proof.
  intros Hw Hf. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  destruct (steps_related rule tr f Hwt Hf) as (v & Hv & Hrel).
  destruct (bisimulation rule tr e v f Hw Hv Hrel) as [Hvf Hfv].
  rewrite <- (VC.vector_clock_stuck_iff_racy rule tr e v Hw Hv). split.
  - intros H v' Hs. destruct (Hvf v' Hs) as (f' & Hf' & _). exact (H f' Hf').
  - intros H f' Hs. destruct (Hfv f' Hs) as (v' & Hv' & _). exact (H v' Hv').
Qed.

Lemma run_is_steps rule tr f : run_detector initial (next rule) tr = Some f -> steps rule initial tr f.
Proof.
  revert f. induction tr as [| e tr IH] using rev_ind; intros f H.
  - injection H as <-. constructor.
  - rewrite run_detector_snoc in H. destruct (run_detector initial (next rule) tr) as [f1 |]; [| discriminate].
    apply steps_snoc with (s1 := f1); [auto | apply next_is_step, H].
Qed.

Lemma fast_track_stuck_at_races rule : stuck_at_races initial (next rule).
Proof.
  intros tr e f Hw Hrun. rewrite next_stuck. apply fast_track_stuck_iff_racy; [assumption | apply run_is_steps, Hrun].
Qed.

Definition fast_track_detect rule : trace -> option nat := detect initial (next rule).

Theorem fast_track_first_race rule tr f :
  well_formed tr -> (fast_track_detect rule tr = Some f <-> first_race tr f).
Proof. apply detect_first_race, fast_track_stuck_at_races. Qed.

Theorem fast_track_no_race rule tr :
  well_formed tr -> (fast_track_detect rule tr = None <-> race_free tr).
Proof. apply detect_no_race, fast_track_stuck_at_races. Qed.

(** ** The repaired Lemma 4

    From any state, when FastTrack has run through [tr], and [b] is the next event, stuck or not: if [a] happens before
    [b], then the clock of [a]'s thread at [a] is below the clock of [b]'s thread at [b]. *)

Lemma steps_sync rule f0 tr f : steps rule f0 tr f -> sync f = ticks rule (sync f0) tr.
Proof.
  induction 1 as [s | s tr s1 e s2 _ IH Hstep]; [reflexivity |]. rewrite ticks_snoc, <- IH.
  destruct Hstep; reflexivity.
Qed.

Theorem lemma_4 rule f0 tr b f i a fa :
  well_formed (tr ++ [b]) -> steps rule f0 tr f ->
  nth_error tr i = Some a -> steps rule f0 (firstn i tr) fa ->
  hb (tr ++ [b]) i (length tr) ->
  below (clock_at (sync fa) a) (clock_at (sync f) b).
Proof.
  intros Hw Hf Ha Hfa H. rewrite (steps_sync _ _ _ _ Hf), (steps_sync _ _ _ _ Hfa).
  pose proof (happens_before_lowers_clocks rule (sync f0) (tr ++ [b]) i (length tr) a b Hw
                (nth_snoc_old _ _ _ _ Ha) (nth_snoc_last _ _) H) as Hle.
  unfold clock_of_event in Hle. apply nth_some_lt in Ha.
  rewrite !firstn_snoc_old, firstn_all in Hle by lia. exact Hle.
Qed.
