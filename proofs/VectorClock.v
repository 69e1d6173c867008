(** * VectorClock

    The classic race detector, Figure 2 of "Verifying Dynamic Race Detection": two more clocks per variable, with the times
    of each thread's last read and last write.
    - [step]: the transition relation, rule by rule; [next]: the same as a function; [steps_iff_run]: they agree.
    - [reports_exactly_the_races]: a detector that continues after a race reports an event iff it races with an earlier one.
    - [vector_clock_sound_and_complete] (Theorem 1): the detector runs through iff the trace has no race.
    - [vector_clock_first_race]: it gets stuck at the first event that races with an earlier one.

    All theorems hold for both join rules, and for traces in which several threads join one.  Theorem 1 of the paper is the
    case [TickChild] without several joins.

    C++ twin: [Unopt<Hb>] ([LeaveChild]).  Like [record], it continues after a race. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Detector.

(** ** The algorithm *)

(** (C, L, R, W): C and L are [sync].  C++ twin: [Hb], and [Unopt::Variable] for R and W. *)
Record state := State { sync : clocks; reads : PM.t clock; writes : PM.t clock }.

Definition clock_or_bottom (m : PM.t clock) (x : var) : clock :=
  match PM.find x m with
  | Some c => c
  | None => bottom
  end.

Definition initial : state := State initial_clocks (PM.empty _) (PM.empty _).

(** Figure 2.  The increment of the child's clock at a join is there or not, by the join rule. *)
Inductive step (rule : join_rule) : state -> event -> state -> Prop :=
| AcquireRule s R W t m :
    step rule (State s R W) (Event t (Acquire m))
      (State (set_thread s t (join (thread_clock s t) (lock_clock s m))) R W)
| ReleaseRule s R W t m :
    step rule (State s R W) (Event t (Release m))
      (State (set_thread (set_lock s m (thread_clock s t)) t (inc t (thread_clock s t))) R W)
| ForkRule s R W t u :
    step rule (State s R W) (Event t (Fork u))
      (State (set_thread (set_thread s u (join (thread_clock s u) (thread_clock s t))) t (inc t (thread_clock s t))) R W)
| JoinRule s R W t u :
    step rule (State s R W) (Event t (Join u))
      (State (set_thread
                match rule with
                | TickChild => set_thread s u (inc u (thread_clock s u))
                | LeaveChild => s
                end
                t (join (thread_clock s t) (thread_clock s u))) R W)
| ReadRule s R W t x :
    leq (clock_or_bottom W x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Read x))
      (State s (PM.add x (put (clock_or_bottom R x) t (get (thread_clock s t) t)) R) W)
| ReadNoChange s R W t x :
    get (clock_or_bottom R x) t = get (thread_clock s t) t ->
    step rule (State s R W) (Event t (Read x)) (State s R W)
| WriteRule s R W t x :
    leq (clock_or_bottom W x) (thread_clock s t) = true ->
    leq (clock_or_bottom R x) (thread_clock s t) = true ->
    step rule (State s R W) (Event t (Write x))
      (State s R (PM.add x (put (clock_or_bottom W x) t (get (thread_clock s t) t)) W))
| WriteNoChange s R W t x :
    get (clock_or_bottom W x) t = get (thread_clock s t) t ->
    step rule (State s R W) (Event t (Write x)) (State s R W)
| BeginRule s t : step rule s (Event t Begin) s
| EndRule s t : step rule s (Event t End) s.

Inductive steps (rule : join_rule) : state -> trace -> state -> Prop :=
| steps_nil s : steps rule s [] s
| steps_snoc s tr s1 e s2 : steps rule s tr s1 -> step rule s1 e s2 -> steps rule s (tr ++ [e]) s2.

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

(** The state after [e], race or no race.  C++ twin: [note] of [Unopt::read] and [Unopt::write]. *)
Definition record (rule : join_rule) (s : state) (e : event) : state :=
  let t := thread e in
  let now := get (thread_clock (sync s) t) t in
  match action e with
  | Read x => State (sync s) (PM.add x (put (clock_or_bottom (reads s) x) t now) (reads s)) (writes s)
  | Write x => State (sync s) (reads s) (PM.add x (put (clock_or_bottom (writes s) x) t now) (writes s))
  | _ => State (tick rule (sync s) e) (reads s) (writes s)
  end.

(** Does [e] race with an earlier event?  C++ twin: [Unopt::check]. *)
Definition races (s : state) (e : event) : bool :=
  let c := thread_clock (sync s) (thread e) in
  match action e with
  | Read x => negb (leq (clock_or_bottom (writes s) x) c)
  | Write x => negb (leq (clock_or_bottom (writes s) x) c && leq (clock_or_bottom (reads s) x) c)
  | _ => false
  end.

(** Nothing to check and nothing to change: the NoChange rules.  C++ twin: none; [Unopt] always checks. *)
Definition no_change (s : state) (e : event) : bool :=
  let t := thread e in
  let now := get (thread_clock (sync s) t) t in
  match action e with
  | Read x => Nat.eqb (get (clock_or_bottom (reads s) x) t) now
  | Write x => Nat.eqb (get (clock_or_bottom (writes s) x) t) now
  | _ => false
  end.

Definition next (rule : join_rule) (s : state) (e : event) : option state :=
  if no_change s e then Some s
  else if races s e then None
  else Some (record rule s e).

(** ** Contents of the metadata *)

(** [c] holds, for each thread, the time of its last event that is [P]. *)
Definition remembers rule (tr : trace) (P : event -> Prop) (c : clock) : Prop :=
  (forall i e, nth_error tr i = Some e -> P e -> time rule tr i <= get c (thread e)) /\
  (forall u, get c u = 0 \/ exists i e, nth_error tr i = Some e /\ P e /\ thread e = u /\ time rule tr i = get c u).

Lemma remembers_skip rule tr P c e : ~ P e -> remembers rule tr P c -> remembers rule (tr ++ [e]) P c.
Proof.
  intros Hno [Hle Hex]. split.
  - intros i a Ha Hp. apply nth_snoc_cases in Ha as [[Hi Ha] | [-> ->]]; [| contradiction].
    rewrite time_snoc_old by assumption. auto.
  - intro u. destruct (Hex u) as [H | (i & a & Ha & H)]; [auto | right]. exists i, a.
    rewrite time_snoc_old by (eapply nth_some_lt; eassumption). split; [apply nth_snoc_old |]; assumption.
Qed.

Lemma remembers_note rule tr (P : event -> Prop) c e :
  well_formed tr -> P e -> remembers rule tr P c ->
  remembers rule (tr ++ [e]) P (put c (thread e) (get (thread_clock (run rule tr) (thread e)) (thread e))).
Proof.
  intros Hw HP [Hle Hex]. split.
  - intros i a Ha Hp. rewrite get_put. apply nth_snoc_cases in Ha as [[Hi Ha] | [-> ->]].
    + rewrite time_snoc_old by assumption. destruct (Pos.eqb_spec (thread a) (thread e)) as [E | _]; [| auto].
      rewrite <- E. apply (clocks_are_exact rule tr (ThreadSlot (thread a)) i a Hw Ha), known_own, Ha.
    + rewrite time_snoc_new, Pos.eqb_refl. lia.
  - intro u. rewrite get_put. destruct (Pos.eqb_spec u (thread e)) as [-> | Hne].
    + right. exists (length tr), e. rewrite time_snoc_new. auto using nth_snoc_last.
    + destruct (Hex u) as [H | (i & a & Ha & H)]; [auto | right]. exists i, a.
      rewrite time_snoc_old by (eapply nth_some_lt; eassumption). split; [apply nth_snoc_old |]; assumption.
Qed.

Lemma leq_false a b : leq a b = false -> exists t, get b t < get a t.
Proof.
  intro H. unfold leq in H.
  assert (E : exists p, In p (PM.elements a) /\ Nat.leb (snd p) (get b (fst p)) = false).
  { induction (PM.elements a) as [| p l IH]; simpl in H; [discriminate |].
    apply andb_false_iff in H as [H | H]; [exists p; simpl; auto |].
    destruct (IH H) as (q & Hin & Hq). exists q. simpl. auto. }
  destruct E as ([t n] & Hin & Hlt). simpl in Hlt. exists t. apply PM.elements_complete in Hin.
  apply Nat.leb_gt in Hlt. unfold get at 2. now rewrite Hin.
Qed.

(** The comparison fails iff one of the events in the metadata is not HB-before the access. *)
Lemma leq_remembered rule tr P c e x :
  well_formed tr -> remembers rule tr P c -> accesses e x ->
  (leq c (thread_clock (run rule tr) (thread e)) = false <->
   exists i a, nth_error tr i = Some a /\ P a /\ thread a <> thread e /\ ~ path (tr ++ [e]) i (length tr)).
Proof.
  intros Hw [Hle Hex] Hacc.
  assert (Hat : clock_at (run rule tr) e = thread_clock (run rule tr) (thread e))
    by (unfold clock_at; destruct Hacc as [-> | ->]; reflexivity).
  pose proof (fun i a => clock_at_exact rule tr e i a (well_formed_exact rule tr Hw)) as Hpath. rewrite Hat in Hpath.
  split.
  - intro H. apply leq_false in H as [u Hu]. destruct (Hex u) as [H0 | (i & a & Ha & HP & <- & Ht)]; [lia |].
    exists i, a. assert (Hnp : ~ path (tr ++ [e]) i (length tr)) by (rewrite (Hpath i a Ha); lia).
    repeat split; try assumption. intro E. apply Hnp, path_snoc_new.
    exists (ThreadSlot (thread e)). rewrite <- E. split; [left; congruence | now apply known_own].
  - intros (i & a & Ha & HP & _ & Hnp). destruct (leq c _) eqn:E; [exfalso | reflexivity].
    apply Hnp, (Hpath i a Ha). apply leq_below in E. specialize (Hle i a Ha HP). specialize (E (thread a)). lia.
Qed.

Definition record_all rule (tr : trace) : state := fold_left (record rule) tr initial.

Lemma record_all_snoc rule tr e : record_all rule (tr ++ [e]) = record rule (record_all rule tr) e.
Proof. unfold record_all. now rewrite fold_left_app. Qed.

Lemma record_all_sync rule tr : sync (record_all rule tr) = run rule tr.
Proof.
  induction tr as [| e tr IH] using rev_ind; [reflexivity |].
  rewrite record_all_snoc. unfold run. rewrite ticks_snoc. unfold run in IH. rewrite <- IH.
  unfold record, tick. destruct (action e); reflexivity.
Qed.

Definition is_read (x : var) (e : event) : Prop := action e = Read x.
Definition is_write (x : var) (e : event) : Prop := action e = Write x.

Lemma metadata_remembers rule tr x :
  well_formed tr ->
  remembers rule tr (is_read x) (clock_or_bottom (reads (record_all rule tr)) x) /\
  remembers rule tr (is_write x) (clock_or_bottom (writes (record_all rule tr)) x).
Proof.
  induction tr as [| e tr IH] using rev_ind; intro Hw.
  - assert (H : forall P, remembers rule [] P bottom).
    { intro P. split; [intros [| i] e; discriminate |]. intro u. left. apply get_bottom. }
    unfold clock_or_bottom. simpl. rewrite PM.gempty. auto.
  - apply well_formed_snoc in Hw as [Hw _]. destruct (IH Hw) as [HR HW]. clear IH.
    rewrite record_all_snoc. unfold record. rewrite record_all_sync.
    assert (Hset : forall m y c, clock_or_bottom (PM.add y c m) x = if Pos.eqb x y then c else clock_or_bottom m x).
    { intros m y c. unfold clock_or_bottom. destruct (Pos.eqb_spec x y) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso]. }
    destruct (action e) as [y | y | | | | | |] eqn:Ha; simpl;
      try (split; apply remembers_skip; auto; unfold is_read, is_write; congruence).
    + split; [| apply remembers_skip; auto; unfold is_write; congruence]. rewrite Hset.
      destruct (Pos.eqb_spec x y) as [-> | Hne]; [apply remembers_note; assumption |].
      apply remembers_skip; auto. unfold is_read. congruence.
    + split; [apply remembers_skip; auto; unfold is_read; congruence |]. rewrite Hset.
      destruct (Pos.eqb_spec x y) as [-> | Hne]; [apply remembers_note; assumption |].
      apply remembers_skip; auto. unfold is_write. congruence.
Qed.

(** ** A detector that continues: exactly the racy events *)

Theorem reports_exactly_the_races rule tr e :
  well_formed (tr ++ [e]) ->
  (races (record_all rule tr) e = true <-> racy (tr ++ [e]) (length tr)).
Proof.
  intro Hw. rewrite racy_last by assumption.
  pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  unfold races. rewrite record_all_sync.
  destruct (action e) as [x | x | | | | | |] eqn:Ha;
    try (split; [discriminate | intros (i & f & _ & (_ & y & _ & [Hy | Hy] & _) & _); congruence]).
  - destruct (metadata_remembers rule tr x Hwt) as [_ HW].
    rewrite negb_true_iff, (leq_remembered _ _ _ _ _ x Hwt HW) by (left; assumption).
    split; intros (i & a & Hi & H).
    + destruct H as (HP & Hne & Hnp). exists i, a. repeat split; auto. exists x. unfold accesses, is_write in *. auto.
    + destruct H as ((Hne & y & Hay & Hey & Hwr) & Hnp). exists i, a. unfold accesses, HappensBefore.writes, is_write in *.
      assert (y = x) as -> by (destruct Hey; congruence). repeat split; auto. destruct Hwr; congruence.
  - destruct (metadata_remembers rule tr x Hwt) as [HR HW].
    rewrite negb_true_iff, andb_false_iff.
    rewrite (leq_remembered _ _ _ _ _ x Hwt HW), (leq_remembered _ _ _ _ _ x Hwt HR) by (right; assumption).
    unfold accesses, HappensBefore.writes, is_write, is_read, conflict in *. split.
    + intros [(i & a & Hi & HP & Hne & Hnp) | (i & a & Hi & HP & Hne & Hnp)]; exists i, a; repeat split; auto; exists x; unfold accesses; auto.
    + intros (i & a & Hi & (Hne & y & Hay & Hey & _) & Hnp).
      assert (y = x) as -> by (destruct Hey; congruence).
      destruct Hay as [Hay | Hay]; [right | left]; exists i, a; auto.
Qed.

(** Races are decidable. *)
Corollary racy_last_dec tr e :
  well_formed (tr ++ [e]) -> {racy (tr ++ [e]) (length tr)} + {~ racy (tr ++ [e]) (length tr)}.
Proof.
  intro Hw. destruct (races (record_all LeaveChild tr) e) eqn:E.
  - left. now apply (reports_exactly_the_races LeaveChild).
  - right. intro H. apply (reports_exactly_the_races LeaveChild) in H; [congruence | assumption].
Qed.

(** Both join rules report the same events: the increment at a join is not needed, and does no harm. *)
Theorem join_rules_agree tr e :
  well_formed (tr ++ [e]) -> races (record_all TickChild tr) e = races (record_all LeaveChild tr) e.
Proof.
  intro Hw. apply eq_true_iff_eq. now rewrite !reports_exactly_the_races by assumption.
Qed.

(** ** The detector that stops *)

(** In a trace without races, conflicting accesses are ordered. *)
Lemma race_free_orders tr i k a b :
  well_formed tr -> race_free tr -> i < k -> nth_error tr i = Some a -> nth_error tr k = Some b -> conflict a b ->
  path tr i k.
Proof.
  intros Hw Hfree Hik Hi Hk Hc.
  assert (Hlen : length (firstn k tr) = k) by (apply firstn_length_le; apply nth_some_lt in Hk; lia).
  assert (Hwk : well_formed (firstn k tr ++ [b])) by (rewrite <- (firstn_succ _ _ _ Hk); apply well_formed_prefix, Hw).
  assert (Hnr : ~ racy (firstn k tr ++ [b]) (length (firstn k tr))).
  { intro Hr. apply (Hfree k). rewrite <- (racy_prefix tr (S k)) by (auto; lia).
    rewrite (firstn_succ _ _ _ Hk). rewrite Hlen in Hr. assumption. }
  rewrite racy_last in Hnr by assumption.
  apply (path_prefix tr (S k)); [lia |]. rewrite (firstn_succ _ _ _ Hk).
  pose proof (nth_firstn tr i k a Hik Hi) as Hia.
  pose proof (clock_at_exact LeaveChild (firstn k tr) b i a) as Hx. rewrite Hlen in Hx, Hnr.
  specialize (Hx (well_formed_exact _ _ (well_formed_prefix _ _ Hw)) Hia).
  destruct (le_lt_dec (time LeaveChild (firstn k tr) i)
                      (get (clock_at (run LeaveChild (firstn k tr)) b) (thread a))) as [Hle | Hgt].
  - apply Hx, Hle.
  - exfalso. apply Hnr. exists i, a. repeat (split; [assumption |]). rewrite Hx. lia.
Qed.

(** As long as there was no race, the NoChange rules skip a check that would pass. *)
Lemma no_change_is_safe rule tr e :
  well_formed (tr ++ [e]) -> race_free tr -> no_change (record_all rule tr) e = true ->
  ~ racy (tr ++ [e]) (length tr) /\ record rule (record_all rule tr) e = record_all rule tr.
Proof.
  intros Hw Hfree Hnc. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt Hl].
  unfold no_change in Hnc. rewrite record_all_sync in Hnc.
  pose proof (exact_positive rule tr (well_formed_exact rule tr Hwt) (thread e)) as Hpos.
  set (now := get (thread_clock (run rule tr) (thread e)) (thread e)) in *.
  (* Some earlier access [k] of this thread has the present time. *)
  assert (Hk : forall P c, remembers rule tr P c -> get c (thread e) = now ->
    exists k b, nth_error tr k = Some b /\ P b /\ thread b = thread e /\ time rule tr k = now).
  { intros P c [_ Hex] Hc. destruct (Hex (thread e)) as [H0 | (k & b & H)]; [lia |]. exists k, b. now rewrite <- Hc. }
  (* Whatever conflicts with [k] is before [e]. *)
  assert (Hord : forall k b i a, nth_error tr k = Some b -> thread b = thread e -> time rule tr k = now ->
    nth_error tr i = Some a -> conflict a b -> path (tr ++ [e]) i (length tr)).
  { intros k b i a Hkb Hbt Htime Hia Hc. apply path_snoc_new.
    exists (ThreadSlot (thread e)). split; [left; reflexivity |].
    destruct (lt_eq_lt_dec i k) as [[Hik | ->] | Hki].
    - (* before [k]: ordered before it, and [k] is ours *)
      exists k, b. split; [right; eapply race_free_orders; eassumption | split; [assumption | left; congruence]].
    - rewrite Hkb in Hia. injection Hia as ->. destruct Hc as [Hc _]. congruence.
    - (* after [k]: then [k] is known to another thread, and this one must have ticked *)
      exfalso.
      assert (Hc' : conflict b a).
      { destruct Hc as (Hne & x & H1 & H2 & H3). split; [congruence |]. exists x. tauto. }
      assert (Hkn : known tr (ThreadSlot (thread a)) k).
      { exists i, a. split; [right; eapply race_free_orders; eassumption | split; [assumption | left; reflexivity]]. }
      apply (clocks_are_exact rule tr _ k b Hwt Hkb) in Hkn. rewrite Hbt in Hkn.
      assert (Hne : ThreadSlot (thread a) <> ThreadSlot (thread e)) by (destruct Hc as [Hc _]; congruence).
      destruct Hl as [Hl _]. pose proof (own_component_leads rule tr (thread e) _ Hwt Hl Hne). lia. }
  destruct (action e) as [x | x | | | | | |] eqn:Ha; try discriminate; apply Nat.eqb_eq in Hnc;
    destruct (metadata_remembers rule tr x Hwt) as [HR HW].
  - destruct (Hk _ _ HR Hnc) as (k & b & Hkb & HP & Hbt & Htime). split.
    + rewrite racy_last by assumption. intros (i & a & Hia & Hc & Hnp). apply Hnp.
      apply (Hord k b i a); auto.
      destruct Hc as (Hne & y & H1 & H2 & H3). split; [congruence |]. exists y.
      unfold accesses, HappensBefore.writes, is_read in *. rewrite Ha in *. rewrite HP. auto.
    + unfold record. rewrite Ha, record_all_sync.
      fold now. rewrite put_idle by (auto; lia).
      replace (run rule tr) with (sync (record_all rule tr)) by apply record_all_sync.
      destruct (record_all rule tr) as [s R W]. simpl in *. rewrite add_idle; [reflexivity |].
      unfold clock_or_bottom in *. destruct (PM.find x R); [reflexivity |]. rewrite get_bottom in Hnc. lia.
  - destruct (Hk _ _ HW Hnc) as (k & b & Hkb & HP & Hbt & Htime). split.
    + rewrite racy_last by assumption. intros (i & a & Hia & Hc & Hnp). apply Hnp.
      apply (Hord k b i a); auto.
      destruct Hc as (Hne & y & H1 & H2 & H3). split; [congruence |]. exists y.
      unfold accesses, HappensBefore.writes, is_write in *. rewrite Ha in *. rewrite HP. auto.
    + unfold record. rewrite Ha, record_all_sync.
      fold now. rewrite put_idle by (auto; lia).
      replace (run rule tr) with (sync (record_all rule tr)) by apply record_all_sync.
      destruct (record_all rule tr) as [s R W]. simpl in *. rewrite add_idle; [reflexivity |].
      unfold clock_or_bottom in *. destruct (PM.find x W); [reflexivity |]. rewrite get_bottom in Hnc. lia.
Qed.

(** On reachable states, the relation and the function are the same. *)
Lemma step_iff_next rule tr e s' :
  well_formed (tr ++ [e]) -> race_free tr ->
  (step rule (record_all rule tr) e s' <-> next rule (record_all rule tr) e = Some s').
Proof.
  intros Hw Hfree. pose proof (no_change_is_safe rule tr e Hw Hfree) as Hsafe.
  clear Hw Hfree. revert Hsafe. generalize (record_all rule tr) as s. intros s Hsafe. unfold next. split.
  - intro H. destruct (no_change s e) eqn:Enc.
    + destruct (Hsafe eq_refl) as [_ Hsame]. f_equal.
      destruct H; try (unfold no_change in Enc; simpl in Enc; discriminate); try reflexivity; symmetry; exact Hsame.
    + destruct H as [| | | s R W t u | s R W t x Hw | | s R W t x Hw Hr | | |]; try reflexivity;
        unfold no_change, races, record, tick in *; simpl in *.
      * now destruct rule.
      * now rewrite Hw.
      * apply Nat.eqb_neq in Enc. contradiction.
      * now rewrite Hw, Hr.
      * apply Nat.eqb_neq in Enc. contradiction.
      * now destruct s.
      * now destruct s.
  - destruct (no_change s e) eqn:Enc.
    + intros [= <-]. destruct s as [c R W], e as [t a]. unfold no_change in Enc. simpl in Enc.
      destruct a; try discriminate; apply Nat.eqb_eq in Enc; constructor; assumption.
    + destruct (races s e) eqn:Er; [discriminate |]. intros [= <-].
      destruct s as [c R W], e as [t a]. unfold races, record, tick in *. simpl in *.
      destruct a; try constructor.
      * now apply negb_false_iff in Er.
      * apply negb_false_iff, andb_true_iff in Er. tauto.
      * apply negb_false_iff, andb_true_iff in Er. tauto.
      * destruct rule; [apply (JoinRule TickChild c R W t u) | apply (JoinRule LeaveChild c R W t u)].
Qed.

(** As a function, the detector that stops is the one that continues, up to the first race. *)
Lemma run_next rule tr s :
  well_formed tr ->
  (run_detector initial (next rule) tr = Some s <-> race_free tr /\ s = record_all rule tr).
Proof.
  revert s. induction tr as [| e tr IH] using rev_ind; intros s Hw.
  - unfold run_detector. simpl. split; [intros [= <-] | intros [_ ->]; reflexivity].
    split; [| reflexivity]. intros j Hj. apply racy_lt in Hj. simpl in Hj. lia.
  - pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
    rewrite run_detector_snoc, race_free_snoc, record_all_snoc by assumption.
    assert (Hnext : race_free tr ->
      (next rule (record_all rule tr) e = Some s <->
       ~ racy (tr ++ [e]) (length tr) /\ s = record rule (record_all rule tr) e)).
    { intro Hfree. unfold next. destruct (no_change _ e) eqn:Enc.
      - destruct (no_change_is_safe rule tr e Hw Hfree Enc) as [Hno ->]. intuition congruence.
      - rewrite <- (reports_exactly_the_races rule) by assumption.
        destruct (races (record_all rule tr) e); intuition congruence. }
    split.
    + intro H. destruct (run_detector initial (next rule) tr) as [s0 |] eqn:E; [| discriminate].
      destruct (proj1 (IH s0 Hwt) eq_refl) as [Hfree ->]. simpl in H. apply Hnext in H; [tauto | assumption].
    + intros [[Hfree Hno] Hs].
      rewrite (proj2 (IH (record_all rule tr) Hwt)) by auto. simpl. apply Hnext; auto.
Qed.

Theorem steps_iff_run rule tr s :
  well_formed tr -> (steps rule initial tr s <-> run_detector initial (next rule) tr = Some s).
Proof.
  revert s. induction tr as [| e tr IH] using rev_ind; intros s Hw.
  - split.
    + intro H. apply steps_nil_inv in H as ->. reflexivity.
    + intros [= <-]. constructor.
  - pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _]. rewrite run_detector_snoc. split.
    + intro H. apply steps_snoc_inv in H as (s1 & H1 & H2). apply IH in H1; [| assumption]. rewrite H1. simpl.
      apply run_next in H1 as [Hfree ->]; [| assumption]. now apply step_iff_next.
    + intro H. destruct (run_detector initial (next rule) tr) as [s0 |] eqn:E; [| discriminate].
      apply steps_snoc with (s1 := s0); [now apply IH |].
      apply run_next in E as [Hfree ->]; [| assumption]. now apply step_iff_next.
Qed.

Lemma vector_clock_stuck_at_races rule : stuck_at_races initial (next rule).
Proof.
  intros tr e s Hw Hrun. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  apply run_next in Hrun as [Hfree ->]; [| assumption]. unfold next.
  destruct (no_change _ e) eqn:Enc.
  - destruct (no_change_is_safe rule tr e Hw Hfree Enc) as [Hno _]. split; [discriminate | contradiction].
  - rewrite <- (reports_exactly_the_races rule) by assumption.
    destruct (races _ e); split; congruence.
Qed.

(** ** Theorem 1 *)

Theorem vector_clock_sound_and_complete rule tr :
  well_formed tr -> ((exists s, steps rule initial tr s) <-> race_free tr).
Proof.
  intro Hw. rewrite <- (sound_and_complete initial (next rule) (vector_clock_stuck_at_races rule)) by assumption.
  split; intros [s Hs]; exists s; apply (steps_iff_run rule tr s Hw); assumption.
Qed.

(** The relation is stuck exactly at racy events. *)
Theorem vector_clock_stuck_iff_racy rule tr e s :
  well_formed (tr ++ [e]) -> steps rule initial tr s ->
  ((forall s', ~ step rule s e s') <-> racy (tr ++ [e]) (length tr)).
Proof.
  intros Hw Hs. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  apply steps_iff_run in Hs; [| assumption]. rewrite <- (vector_clock_stuck_at_races rule tr e s Hw Hs).
  apply run_next in Hs as [Hfree ->]; [| assumption]. split.
  - intro H. destruct (next _ _ e) as [s' |] eqn:E; [| reflexivity].
    exfalso. apply (H s'). now apply step_iff_next.
  - intros H s' Hstep. apply (step_iff_next rule tr e s' Hw Hfree) in Hstep. congruence.
Qed.

Definition vector_clock_detect rule : trace -> option nat := detect initial (next rule).

Theorem vector_clock_first_race rule tr f :
  well_formed tr -> (vector_clock_detect rule tr = Some f <-> first_race tr f).
Proof. apply detect_first_race, vector_clock_stuck_at_races. Qed.

Theorem vector_clock_no_race rule tr :
  well_formed tr -> (vector_clock_detect rule tr = None <-> race_free tr).
Proof. apply detect_no_race, vector_clock_stuck_at_races. Qed.
