(** * FTO

    FastTrack with ownership, for HB: SmartTrack, Algorithm 2, without the parts that only DC needs.  The read metadata
    represents reads and writes.  An access by the thread that owns the metadata is not checked at all, and a read that is
    ordered after it is not checked against the last write.
    - [next]: the algorithm, case by case.
    - [step_simulates]: it is stuck iff VectorClock reports a race; if not, the two stay [related].
    - [fto_sound_and_complete], [fto_first_race].

    All theorems hold for both join rules.

    C++ twin: [Fto<Hb>] ([LeaveChild]). *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Detector Emulation.
From Omen Require VectorClock FastTrack.
Module VC := VectorClock.
Import FastTrack (read_metadata, ReadEpoch, ReadClock, state, State, sync, reads, writes, read_of, write_of).

(** ** The algorithm *)

Definition set_both (f : state) (x : var) (e : epoch) : state :=
  State (sync f) (PM.add x (ReadEpoch e) (reads f)) (PM.add x e (writes f)).

Definition set_read (f : state) (x : var) (r : read_metadata) : state :=
  State (sync f) (PM.add x r (reads f)) (writes f).

(** C++ twin: [Fto::read] and [Fto::write], until the first race. *)
Definition next (rule : join_rule) (f : state) (e : event) : option state :=
  let s := sync f in
  let t := thread e in
  let c := thread_clock s t in
  let time := get c t in
  match action e with
  | Read x =>
      match read_of (reads f) x with
      | ReadEpoch r =>
          if epoch_eqb r (now s t) then Some f                                          (* Read Same Epoch *)
          else if Pos.eqb (epoch_thread r) t then Some (set_read f x (ReadEpoch (now s t)))  (* Read Owned *)
          else if epoch_leq r c then Some (set_read f x (ReadEpoch (now s t)))               (* Read Exclusive *)
          else if epoch_leq (write_of (writes f) x) c                                   (* Read Share *)
          then Some (set_read f x (ReadClock (put (put bottom (epoch_thread r) (epoch_time r)) t time)))
          else None
      | ReadClock v =>
          if Nat.eqb (get v t) time then Some f                                         (* Shared Same Epoch *)
          else if negb (Nat.eqb (get v t) 0)
          then Some (set_read f x (ReadClock (put v t time)))                           (* Read Shared Owned *)
          else if epoch_leq (write_of (writes f) x) c                                   (* Read Shared *)
          then Some (set_read f x (ReadClock (put v t time)))
          else None
      end
  | Write x =>
      if epoch_eqb (write_of (writes f) x) (now s t) then Some f                        (* Write Same Epoch *)
      else
        match read_of (reads f) x with
        | ReadEpoch r =>
            if Pos.eqb (epoch_thread r) t then Some (set_both f x (now s t))            (* Write Owned *)
            else if epoch_leq r c then Some (set_both f x (now s t))                    (* Write Exclusive *)
            else None
        | ReadClock v =>
            if leq v c then Some (set_both f x (now s t)) else None                     (* Write Shared *)
        end
  | _ => Some (State (tick rule s e) (reads f) (writes f))
  end.

(** ** The simulation *)

(** The last access of [u], read or write. *)
Definition last (R W : clock) (u : tid) : nat := Nat.max (get R u) (get W u).

(** For one variable: R and W of VectorClock, r and w of FTO. *)
Record emulated (s : clocks) (R W : clock) (r : read_metadata) (w : epoch) : Prop := {
  write_time : get W (epoch_thread w) = epoch_time w;
  write_emulates : emulates s w W;
  read_emulates :
    match r with
    | ReadEpoch e =>
        last R W (epoch_thread e) = epoch_time e /\
        forall u, entails s (epoch_thread e) (epoch_time e) u (last R W u)
    | ReadClock V =>
        (forall u, get V u <= last R W u) /\
        (exists t, forall u,
           (get V u = 0 -> entails s t (get V t) u (last R W u)) /\
           (get V u <> 0 -> entails s u (get V u) u (last R W u))) /\
        (* a thread that has read since the reads are shared knows the last write *)
        (forall t u, get V t <> 0 -> entails s t (get V t) u (get W u))
    end
}.

Definition related (v : VC.state) (f : state) : Prop :=
  sync f = VC.sync v /\
  forall x, emulated (VC.sync v) (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x)
                     (read_of (reads f) x) (write_of (writes f) x).

Lemma initial_related : related VC.initial FastTrack.initial.
Proof.
  split; [reflexivity |]. intro x. unfold VC.clock_or_bottom, read_of, write_of. simpl. rewrite !PM.gempty.
  split; simpl; auto.
  - intros u p _. rewrite get_bottom. lia.
  - split; [reflexivity |]. intros u p _. unfold last. rewrite !get_bottom. simpl. lia.
Qed.

Section Step.

Context (rule : join_rule) (tr : trace) (e : event).
Context (Hw : well_formed (tr ++ [e])) (Hfree : race_free tr).
Context (f : state) (Hrel : related (VC.record_all rule tr) f).

Lemma step_simulates :
  (VC.races (VC.record_all rule tr) e = true -> next rule f e = None) /\
  (VC.races (VC.record_all rule tr) e = false ->
   exists f', next rule f e = Some f' /\ related (VC.record rule (VC.record_all rule tr) e) f').
Proof.
  pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  pose proof (VC.record_all_sync rule tr) as Hvs.
  pose proof (VC.no_change_is_safe rule tr e Hw Hfree) as Hsafe.
  rewrite <- (VC.reports_exactly_the_races rule) in Hsafe by assumption.
  assert (Hpos : forall u, get (thread_clock (run rule tr) u) u <> 0)
    by (intro u; pose proof (exact_positive rule tr (well_formed_exact rule tr Hwt) u); lia).
  pose proof (metadata_bounded rule tr e Hw) as Hbound.
  pose proof (entails_now rule tr e Hw) as Hnow.
  destruct Hrel as [Hfs Hem]. rewrite Hvs in Hfs, Hem.
  set (v := VC.record_all rule tr) in *. clearbody v. set (s := run rule tr) in *. clearbody s.
  destruct f as [fs R2 W2]. simpl in Hfs. subst fs. simpl in Hem. clear Hrel Hfree.
  set (t := thread e) in *.
  assert (Hlast : forall x u, last (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x) u
                              <= get (thread_clock s u) u)
    by (intros x u; unfold last; destruct (Hbound x u); lia).
  (* An epoch that the acting thread knows represents accesses that it knows. *)
  assert (Hknown : forall x r, read_of R2 x = ReadEpoch r -> epoch_time r <= get (thread_clock s t) (epoch_thread r) ->
    forall u, last (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u).
  { intros x r Hr Hle u. destruct (Hem x) as [_ _ Hrd]. rewrite Hr in Hrd. destruct Hrd as [_ Hrd].
    exact (Hrd u (ThreadSlot t) Hle). }
  assert (Howned : forall x r, read_of R2 x = ReadEpoch r -> epoch_thread r = t ->
    epoch_time r <= get (thread_clock s t) (epoch_thread r)).
  { intros x r Hr Ht. destruct (Hem x) as [_ _ Hrd]. rewrite Hr in Hrd. destruct Hrd as [<- _]. rewrite Ht. apply Hlast. }
  assert (Hleq : forall R W, (leq W (thread_clock s t) && leq R (thread_clock s t) = true <->
    forall u, last R W u <= get (thread_clock s t) u)).
  { intros R W. rewrite andb_true_iff, !leq_below. unfold below, last. split.
    - intros [H1 H2] u. specialize (H1 u). specialize (H2 u). lia.
    - intro H. split; intro u; specialize (H u); lia. }
  assert (Hwcheck : forall x, epoch_leq (write_of W2 x) (thread_clock s t) =
    leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock s t)).
  { intro x. destruct (Hem x) as [Ht He _]. exact (emulates_leq s _ _ (ThreadSlot t) He Ht). }
  (* After a read. *)
  assert (Hread : forall x r', action e = Read x ->
    emulated s (put (VC.clock_or_bottom (VC.reads v) x) t (get (thread_clock s t) t))
             (VC.clock_or_bottom (VC.writes v) x) r' (write_of W2 x) ->
    related (VC.record rule v e) (set_read (State s R2 W2) x r')).
  { intros x r' Ha He. unfold VC.record. rewrite Ha, Hvs. fold t. split; [reflexivity |]. intro y. simpl.
    rewrite clock_or_bottom_add, FastTrack.read_of_add. destruct (Pos.eqb_spec y x) as [-> |]; [assumption | apply Hem]. }
  assert (Hexclusive : forall x, action e = Read x ->
    (forall u, last (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u) ->
    related (VC.record rule v e) (set_read (State s R2 W2) x (ReadEpoch (now s t)))).
  { intros x Ha Hk. apply Hread; [assumption |]. destruct (Hem x) as [Ht He _]. split; auto. simpl.
    pose proof (Hbound x t) as [HbR HbW]. unfold last in *. split; [rewrite get_put_same; lia |].
    intro u. apply Hnow. rewrite get_put. destruct (Pos.eqb_spec u t) as [-> |]; [lia | apply Hk]. }
  (* After a write. *)
  assert (Hwrite : forall x, action e = Write x ->
    (forall u, last (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u) ->
    related (VC.record rule v e) (set_both (State s R2 W2) x (now s t))).
  { intros x Ha Hk. unfold VC.record. rewrite Ha, Hvs. fold t. split; [reflexivity |]. intro y. simpl.
    rewrite clock_or_bottom_add, FastTrack.read_of_add, FastTrack.write_of_add.
    destruct (Pos.eqb_spec y x) as [-> |]; [| apply Hem]. unfold last in *. split; simpl.
    - apply get_put_same.
    - intro u. apply Hnow. rewrite get_put. destruct (Pos.eqb_spec u t) as [-> |]; [lia |]. specialize (Hk u). lia.
    - pose proof (Hbound x t) as [HbR HbW]. unfold last. split; [rewrite get_put_same; lia |].
      intro u. apply Hnow. rewrite get_put. destruct (Pos.eqb_spec u t) as [-> |]; [lia | apply Hk]. }
  unfold next. simpl. fold t.
  destruct (action e) as [x | x | m | m | u | u | |] eqn:Ha;
    try (unfold VC.races; rewrite Ha; split; [discriminate |]; intros _; eexists; split; [reflexivity |];
         unfold VC.record; rewrite Ha, Hvs; split; [reflexivity |]; intro y; simpl;
         destruct (Hem y) as [Ht He Hrd]; split; auto;
         [intro q; apply entails_tick; [rewrite <- Ht; apply Hbound | apply He] |];
         destruct (read_of R2 y) as [r | V];
         [destruct Hrd as [Hrt Hrd]; split; [assumption |]; intro q; apply entails_tick; [rewrite <- Hrt; apply Hlast | apply Hrd]
         | destruct Hrd as (Hle & (w & Hpart) & Hwr);
           assert (Hb : forall q, get V q <= get (thread_clock s q) q)
             by (intro q; specialize (Hle q); specialize (Hlast y q); lia);
           split; [assumption |]; split;
           [exists w; intro q; destruct (Hpart q) as [Hz Hnz]; split; intro H0; apply entails_tick; auto
           | intros q q' H0; apply entails_tick; auto]]).
  - (* read *)
    assert (Hraces : VC.races v e = negb (leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock s t)))
      by (unfold VC.races; rewrite Ha, Hvs; reflexivity).
    assert (Hnone : (forall u, last (VC.clock_or_bottom (VC.reads v) x) (VC.clock_or_bottom (VC.writes v) x) u
                               <= get (thread_clock s t) u) -> VC.races v e = false).
    { intro Hk. rewrite Hraces. apply Hleq, andb_true_iff in Hk as [Hk _]. now rewrite Hk. }
    destruct (read_of R2 x) as [r | V] eqn:Er.
    + destruct (epoch_eqb r (now s t)) eqn:Ee.
      { apply epoch_eqb_spec in Ee. assert (Ht : epoch_thread r = t) by (rewrite Ee; reflexivity).
        pose proof (Hknown x r Er (Howned x r Er Ht)) as Hk. rewrite (Hnone Hk).
        split; [discriminate |]. intros _. eexists. split; [reflexivity |].
        pose proof (Hexclusive x eq_refl Hk) as [Hs Hx]. split; [exact Hs |]. intro y. specialize (Hx y). simpl in *.
        rewrite FastTrack.read_of_add in Hx. destruct (Pos.eqb_spec y x) as [E |]; [| exact Hx]. now rewrite E, Er, Ee in *. }
      destruct (Pos.eqb_spec (epoch_thread r) t) as [Ht | Ht].
      { pose proof (Hknown x r Er (Howned x r Er Ht)) as Hk. rewrite (Hnone Hk).
        split; [discriminate |]. intros _. eexists. split; [reflexivity |]. now apply Hexclusive. }
      destruct (epoch_leq r (thread_clock s t)) eqn:El.
      { apply epoch_leq_spec in El. pose proof (Hknown x r Er El) as Hk. rewrite (Hnone Hk).
        split; [discriminate |]. intros _. eexists. split; [reflexivity |]. now apply Hexclusive. }
      (* Read Share *)
      rewrite Hwcheck, Hraces. destruct (leq _ (thread_clock s t)) eqn:Elw; simpl; [| split; [reflexivity | discriminate]].
      split; [discriminate |]. intros _. eexists. split; [reflexivity |]. apply Hread; [reflexivity |].
      destruct (Hem x) as [Hwt' He Hrd]. rewrite Er in Hrd. destruct Hrd as [Hrt Hrd].
      apply Nat.leb_gt in El. apply leq_below in Elw. pose proof (Hbound x t) as [HbR HbW].
      split; auto. unfold last in *. split; [| split].
      * intro u. rewrite !get_put, get_bottom. destruct (Pos.eqb_spec u t) as [-> |]; [lia |].
        destruct (Pos.eqb_spec u (epoch_thread r)) as [-> |]; lia.
      * exists (epoch_thread r). intro u. rewrite !get_put, Pos.eqb_refl, get_bottom.
        destruct (Pos.eqb_spec (epoch_thread r) t) as [E | _]; [contradiction |].
        destruct (Pos.eqb_spec u t) as [-> | Hu].
        -- split; [intro E; exfalso; exact (Hpos t E) |]. intros _ p Hp. lia.
        -- split; [intros _; apply Hrd |]. destruct (Pos.eqb_spec u (epoch_thread r)) as [-> | Hur]; [| contradiction].
           intros _. apply Hrd.
      * intros q u. rewrite !get_put, get_bottom. destruct (Pos.eqb_spec q t) as [-> | Hq].
        -- intros _. apply Hnow, Elw.
        -- destruct (Pos.eqb_spec q (epoch_thread r)) as [-> | _]; [| contradiction]. intros _ p Hp.
           specialize (Hrd u p Hp). lia.
    + destruct (Hem x) as [Hwt' He Hrd]. rewrite Er in Hrd. destruct Hrd as (Hle & (w & Hpart) & Hwr).
      pose proof (Hbound x t) as [HbR HbW].
      (* The shared metadata after this read, when the reader knows the last write. *)
      assert (Hshared : (forall u, get (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u) ->
        emulated s (put (VC.clock_or_bottom (VC.reads v) x) t (get (thread_clock s t) t))
                 (VC.clock_or_bottom (VC.writes v) x) (ReadClock (put V t (get (thread_clock s t) t))) (write_of W2 x)).
      { intro Hk. split; auto. unfold last in *. split; [| split].
        - intro u. rewrite !get_put. destruct (Pos.eqb_spec u t) as [-> |]; [lia | apply Hle].
        - exists w. intro u. rewrite !get_put. destruct (Pos.eqb_spec u t) as [-> | Hu].
          + split; [intro E; exfalso; exact (Hpos t E) |]. intros _ p Hp. lia.
          + destruct (Hpart u) as [Hz Hnz]. split; [| assumption]. intro H0.
            destruct (Pos.eqb_spec w t) as [-> |]; [| auto].
            apply Hnow. apply (Hz H0 (ThreadSlot t)). simpl. specialize (Hle t). lia.
        - intros q u. rewrite get_put. destruct (Pos.eqb_spec q t) as [-> |]; [intros _; apply Hnow, Hk | apply Hwr]. }
      (* A reader that has read since knows the last write. *)
      assert (Hhas : get V t <> 0 -> forall u, get (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u).
      { intros H0 u. apply (Hwr t u H0 (ThreadSlot t)). simpl. specialize (Hle t). unfold last in Hle. lia. }
      assert (Hno : (forall u, get (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u) -> VC.races v e = false).
      { intro Hk. rewrite Hraces. apply negb_false_iff, leq_below. exact Hk. }
      destruct (Nat.eqb_spec (get V t) (get (thread_clock s t) t)) as [E | E].
      { assert (Hk := Hhas ltac:(rewrite E; apply Hpos)). rewrite (Hno Hk).
        split; [discriminate |]. intros _. eexists. split; [reflexivity |].
        destruct (Hread x _ eq_refl (Hshared Hk)) as [Hs Hx]. split; [exact Hs |]. intro y. specialize (Hx y). simpl in *.
        rewrite FastTrack.read_of_add in Hx. destruct (Pos.eqb_spec y x) as [Eyx |]; [| exact Hx].
        rewrite Eyx in *. rewrite Er. rewrite put_idle in Hx; [exact Hx | exact E | apply Hpos]. }
      destruct (Nat.eqb_spec (get V t) 0) as [E0 | E0]; simpl.
      * rewrite Hwcheck, Hraces. destruct (leq _ (thread_clock s t)) eqn:Elw; simpl; [| split; [reflexivity | discriminate]].
        split; [discriminate |]. intros _. eexists. split; [reflexivity |].
        apply Hread; [reflexivity |]. apply Hshared. apply leq_below in Elw. exact Elw.
      * rewrite (Hno (Hhas E0)). split; [discriminate |]. intros _. eexists. split; [reflexivity |].
        apply Hread; [reflexivity |]. apply Hshared, Hhas, E0.
  - (* write *)
    assert (Hraces : VC.races v e = negb (leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock s t)
                                          && leq (VC.clock_or_bottom (VC.reads v) x) (thread_clock s t)))
      by (unfold VC.races; rewrite Ha, Hvs; reflexivity).
    destruct (epoch_eqb (write_of W2 x) (now s t)) eqn:Ee.
    { apply epoch_eqb_spec in Ee. destruct (Hem x) as [Hwt' _ _]. rewrite Ee in Hwt'. simpl in Hwt'.
      destruct Hsafe as [Hno Hsame].
      - unfold VC.no_change. rewrite Ha, Hvs. apply Nat.eqb_eq. exact Hwt'.
      - apply not_true_is_false in Hno. rewrite Hno. split; [discriminate |]. intros _. eexists. split; [reflexivity |].
        rewrite Hsame. split; [symmetry; exact Hvs |]. rewrite Hvs. exact Hem. }
    assert (Hyes : forall b : bool, (b = true <-> forall u, last (VC.clock_or_bottom (VC.reads v) x)
                                                   (VC.clock_or_bottom (VC.writes v) x) u <= get (thread_clock s t) u) ->
      (VC.races v e = true -> (if b then Some (set_both (State s R2 W2) x (now s t)) else None) = None) /\
      (VC.races v e = false -> exists f', (if b then Some (set_both (State s R2 W2) x (now s t)) else None) = Some f' /\
                                          related (VC.record rule v e) f')).
    { intros b Hb. rewrite Hraces, negb_true_iff, negb_false_iff. split; intro H.
      - destruct b; [| reflexivity]. exfalso. pose proof (proj1 Hb eq_refl) as Hk. pose proof (proj2 (Hleq _ _) Hk). congruence.
      - pose proof (proj1 (Hleq _ _) H) as Hk. pose proof (proj2 Hb Hk) as ->. eexists. split; [reflexivity | now apply Hwrite]. }
    destruct (read_of R2 x) as [r | V] eqn:Er.
    + destruct (Pos.eqb_spec (epoch_thread r) t) as [Ht | Ht].
      * apply (Hyes true). split; [intros _ | reflexivity]. exact (Hknown x r Er (Howned x r Er Ht)).
      * apply Hyes. rewrite epoch_leq_spec. split; [apply (Hknown x r Er) |]. intro Hk.
        destruct (Hem x) as [_ _ Hrd]. rewrite Er in Hrd. destruct Hrd as [<- _]. apply Hk.
    + apply Hyes. rewrite leq_below. destruct (Hem x) as [_ _ Hrd]. rewrite Er in Hrd. destruct Hrd as (Hle & (w & Hpart) & _).
      split.
      * intros H u. destruct (Hpart u) as [Hz Hnz]. destruct (Nat.eq_dec (get V u) 0) as [E | E].
        -- exact (Hz E (ThreadSlot t) (H w)).
        -- exact (Hnz E (ThreadSlot t) (H u)).
      * intros H u. specialize (Hle u). specialize (H u). lia.
Qed.

End Step.

(** ** Sound and complete *)

Lemma run_related rule tr f :
  well_formed tr -> run_detector FastTrack.initial (next rule) tr = Some f ->
  race_free tr /\ related (VC.record_all rule tr) f.
Proof.
  revert f. induction tr as [| e tr IH] using rev_ind; intros f Hw H.
  - injection H as <-. split; [| apply initial_related]. intros j Hj. apply racy_lt in Hj. simpl in Hj. lia.
  - pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _]. rewrite run_detector_snoc in H.
    destruct (run_detector FastTrack.initial (next rule) tr) as [f1 |]; [| discriminate]. simpl in H.
    destruct (IH f1 Hwt eq_refl) as [Hfree Hrel].
    destruct (step_simulates rule tr e Hw Hfree f1 Hrel) as [Hstuck Hstep].
    destruct (VC.races (VC.record_all rule tr) e) eqn:Er; [rewrite Hstuck in H by reflexivity; discriminate |].
    destruct (Hstep eq_refl) as (f' & Hf & Hrel'). rewrite Hf in H. injection H as <-.
    rewrite VC.record_all_snoc. split; [| assumption]. apply race_free_snoc; [assumption |]. split; [assumption |].
    rewrite <- (VC.reports_exactly_the_races rule) by assumption. congruence.
Qed.

Lemma fto_stuck_at_races rule : stuck_at_races FastTrack.initial (next rule).
Proof.
  intros tr e f Hw H. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  destruct (run_related rule tr f Hwt H) as [Hfree Hrel].
  destruct (step_simulates rule tr e Hw Hfree f Hrel) as [Hstuck Hstep].
  rewrite <- (VC.reports_exactly_the_races rule) by assumption. split; [| exact Hstuck].
  intro Hn. destruct (VC.races (VC.record_all rule tr) e); [reflexivity |].
  destruct (Hstep eq_refl) as (f' & Hf & _). congruence.
Qed.

Theorem fto_sound_and_complete rule tr :
  well_formed tr -> ((exists f, run_detector FastTrack.initial (next rule) tr = Some f) <-> race_free tr).
Proof. apply sound_and_complete, fto_stuck_at_races. Qed.

Definition fto_detect rule : trace -> option nat := detect FastTrack.initial (next rule).

Theorem fto_first_race rule tr f : well_formed tr -> (fto_detect rule tr = Some f <-> first_race tr f).
Proof. apply detect_first_race, fto_stuck_at_races. Qed.

Theorem fto_no_race rule tr : well_formed tr -> (fto_detect rule tr = None <-> race_free tr).
Proof. apply detect_no_race, fto_stuck_at_races. Qed.
