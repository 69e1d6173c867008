(** * The first HB race is real

    The meaning of a report of an HB detector.  Take the first racy event of a trace, and any earlier event that it races with.
    The events that are HB-before one of the two, in the order of the trace, and then the pair, are an LW witness.
    - [first_race_is_predictable]: the pair has an LW witness.
    - [first_race_is_a_race_of_the_program]: so every program that could have produced the trace has an execution after which
      both accesses can be performed.
    - [reported_race_is_a_race_of_the_program]: and this holds for the race that the judge reports.

    Later HB races need not be predictable.

    C++ twin: none.  It is the claim that HB's first race is LW-predictable, which the judges test by search. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder VectorClock Judge Reordering DoesntCommute Program.

(** ** The events before the pair *)

Lemma path_dec tr i j : well_formed tr -> {path tr i j} + {~ path tr i j}.
Proof.
  intro Hw.
  destruct (nth_error tr i) as [e |] eqn:Ei.
  2:{ right. intro H. apply path_ends in H as [H _]. apply nth_error_None in Ei. lia. }
  destruct (nth_error tr j) as [f |] eqn:Ej.
  2:{ right. intro H. apply path_ends in H as [_ H]. apply nth_error_None in Ej. lia. }
  destruct (le_lt_dec j i) as [Hle | Hlt].
  { right. intro H. apply path_lt in H. lia. }
  pose proof (clock_at_exact LeaveChild (firstn j tr) f i e
                (well_formed_exact _ _ (well_formed_prefix _ _ Hw)) (nth_firstn _ _ _ _ Hlt Ei)) as Hx.
  rewrite <- (firstn_succ _ _ _ Ej) in Hx.
  rewrite firstn_length_le in Hx by (apply nth_some_lt in Ej; lia).
  rewrite path_prefix in Hx by lia.
  destruct (le_dec (time LeaveChild (firstn j tr) i) (get (clock_at (run LeaveChild (firstn j tr)) f) (thread e))) as [H | H].
  - left. now apply Hx.
  - right. intro Hp. now apply H, Hx.
Qed.

Section Closed.

(** A set of events that contains all HB-predecessors of its events. *)
Context (tr : trace) (Hw : well_formed tr) (keep : nat -> bool).
Context (Hclosed : forall i k, keep k = true -> path tr i k -> keep i = true).

Definition kept (n : nat) : list nat := filter keep (seq 0 n).

Lemma kept_in n i : In i (kept n) <-> i < n /\ keep i = true.
Proof. unfold kept. rewrite filter_In, in_seq. intuition lia. Qed.

Lemma kept_succ n : kept (S n) = if keep n then kept n ++ [n] else kept n.
Proof. unfold kept. rewrite seq_S, filter_app. simpl. destruct (keep n); [reflexivity | apply app_nil_r]. Qed.

Lemma kept_nodup n : NoDup (kept n).
Proof. apply NoDup_filter, seq_NoDup. Qed.

Lemma kept_before n i j : i < j -> keep i = true -> In j (kept n) -> before (kept n) i j.
Proof.
  intros Hlt Hi Hj. apply kept_in in Hj as [Hj Hk].
  assert (E : exists q, kept n = kept j ++ j :: q).
  { induction n as [| n IH]; [lia |]. rewrite kept_succ. destruct (Nat.eq_dec j n) as [<- | Hne].
    - rewrite Hk. eauto.
    - destruct IH as (q & Eq); [lia |]. rewrite Eq. destruct (keep n); [| eauto].
      exists (q ++ [n]). now rewrite <- app_assoc. }
  destruct E as (q & E). exists (kept j), q. split; [assumption |]. apply kept_in. auto.
Qed.

Lemma kept_respects_threads n : n <= length tr -> respects_threads thread tr (kept n).
Proof.
  intro Hn. split.
  - apply kept_nodup.
  - intros i Hi. apply kept_in in Hi. lia.
  - intros i j e f Hj Hlt He Hf Ht. apply kept_before; auto.
    apply kept_in in Hj as [_ Hj]. eapply Hclosed; [exact Hj |].
    apply thread_order_is_path; [assumption |]. eapply to_program; eassumption.
Qed.

(** The holder of a lock has begun a section and still holds it. *)
Lemma depth_has_section t m n :
  n <= length tr -> 0 < depth (firstn n tr) t m -> exists a, begins tr t m a /\ keeps tr t m a n.
Proof.
  induction n as [| n IH]; intros Hn Hd; [simpl in Hd; unfold depth in Hd; simpl in Hd; lia |].
  destruct (nth_error tr n) as [e |] eqn:En; [| apply nth_error_None in En; lia].
  destruct (Nat.eq_dec (depth (firstn n tr) t m) 0) as [E | E].
  - rewrite (firstn_succ _ _ _ En), depth_snoc, E in Hd. unfold depth_step in Hd.
    destruct (Pos.eqb_spec (thread e) t) as [Ht | _]; [| lia].
    destruct e as [te ae]. simpl in *. destruct ae as [| | k | k | | | |]; try lia;
      destruct (Pos.eqb_spec m k) as [Hmk | _]; simpl in Hd; try lia.
    rewrite <- Hmk, Ht in En. exists n. assert (Hb : begins tr t m n) by (split; assumption).
    split; [assumption |]. split; [lia |]. intros j Hj. replace j with (S n) by lia. now apply depth_after_acquire.
  - destruct IH as (a & Hb & Hlt & Hk); [lia | lia |]. exists a. split; [assumption |]. split; [lia |].
    intros j Hj. destruct (Nat.eq_dec j (S n)) as [-> |]; [assumption | apply Hk; lia].
Qed.

Lemma pick_kept_in n e : In e (pick tr (kept n)) -> In e (firstn n tr).
Proof.
  unfold pick. intro H. apply in_flat_map in H as (i & Hi & He). apply kept_in in Hi as [Hi _].
  destruct (nth_error tr i) as [f |] eqn:E; [| destruct He]. destruct He as [<- | []].
  eapply nth_error_In. eapply nth_firstn; eassumption.
Qed.

(** Such a set of events, in the order of the trace, keeps the rules of locks, forks and joins. *)
Lemma kept_well_formed n : n <= length tr -> well_formed (pick tr (kept n)).
Proof.
  induction n as [| n IH]; intro Hn; [apply well_formed_nil |].
  specialize (IH ltac:(lia)). rewrite kept_succ. destruct (keep n) eqn:Ek; [| assumption].
  destruct (nth_error tr n) as [e |] eqn:En; [| apply nth_error_None in En; lia].
  rewrite pick_app, (pick_cons _ _ _ _ En). simpl. apply well_formed_snoc. split; [assumption |].
  pose proof (Hw _ _ En) as [Hlive Hl].
  assert (Hjoined : forall u, joined (pick tr (kept n)) u -> joined (firstn n tr) u)
    by (intros u (f & Hf & Ha); exists f; auto using pick_kept_in).
  assert (Hran : forall u, ran (pick tr (kept n)) u -> ran (firstn n tr) u)
    by (intros u (f & Hf & Ha); exists f; auto using pick_kept_in).
  assert (Hforked : forall u, forked (pick tr (kept n)) u -> forked (firstn n tr) u)
    by (intros u (f & Hf & Ha); exists f; auto using pick_kept_in).
  split; [intro H; apply Hlive, Hjoined, H |].
  pose proof (kept_respects_threads n ltac:(lia)) as Hr.
  destruct (action e) as [x | x | m | m | u | u | |] eqn:Ha; auto.
  - (* acquire: the previous holder has released the lock in the trace, and that release is kept *)
    destruct (holder (pick tr (kept n)) m) as [[u d] |] eqn:Eh; [right | auto].
    destruct (Pos.eq_dec u (thread e)) as [-> | Hne]; [eauto | exfalso].
    assert (Hd : 0 < depth (pick tr (kept n)) u m).
    { rewrite (depth_is_holder _ _ _ IH), Eh, Pos.eqb_refl. lia. }
    destruct (projection thread tr (kept n) u Hr) as (k & Hin & Eproj).
    rewrite depth_of_thread, Eproj, <- depth_of_thread in Hd.
    assert (Hd' : 0 < depth (firstn (Nat.min k (length tr)) tr) u m).
    { destruct (le_lt_dec k (length tr)); [rewrite Nat.min_l by lia; assumption |].
      rewrite Nat.min_r by lia. rewrite firstn_all. rewrite firstn_all2 in Hd by lia. assumption. }
    destruct (depth_has_section u m (Nat.min k (length tr)) ltac:(lia) Hd') as (a & Hb & Hlt & Hkeep).
    pose proof Hb as [Haa _].
    assert (Han : a < n).
    { assert (H : In a (kept n)) by (apply (Hin a _ Haa eq_refl); lia). now apply kept_in in H. }
    destruct (keeps_or_ended tr u m a n Hb Han) as [[_ Hstill] | (r & Hend & Hrn)].
    + assert (H0 : 0 < depth (firstn n tr) u m) by (apply Hstill; lia).
      rewrite (depth_is_holder _ _ _ (well_formed_prefix _ _ Hw)) in H0.
      destruct Hl as [Hl | (d' & Hl)]; rewrite Hl in H0; [lia |].
      destruct (Pos.eqb_spec (thread e) u); [congruence | lia].
    + destruct Hend as (Hsec & Hrel & Hzero).
      assert (Hkr : keep r = true).
      { eapply Hclosed; [exact Ek |]. apply path_edge. split; [assumption |].
        exists (Event u (Release m)), e, (LockSlot m). unfold feeds, takes. simpl. rewrite Ha. auto. }
      assert (Hrk : r < k) by (apply (Hin r _ Hrel eq_refl), kept_in; auto).
      specialize (Hkeep (S r)). pose proof (nth_some_lt _ _ _ Hrel). destruct Hsec as (_ & [? _] & _). lia.
  - (* release: the thread has done the same *)
    destruct Hl as (d & Hl).
    assert (Hd : 0 < depth (firstn n tr) (thread e) m).
    { rewrite (depth_is_holder _ _ _ (well_formed_prefix _ _ Hw)), Hl, Pos.eqb_refl. lia. }
    assert (Hp : of_thread thread (thread e) (pick tr (kept n)) = of_thread thread (thread e) (firstn n tr)).
    { destruct (projection thread tr (kept n) (thread e) Hr) as (k & Hin & E). rewrite E.
      transitivity (of_thread thread (thread e) (firstn (Nat.max k n) tr)); [symmetry |];
        (apply of_thread_gap; [lia |]); intros j f Hj Hf Hlt.
      - assert (H : In j (kept n)).
        { apply kept_in. split; [lia |]. eapply Hclosed; [exact Ek |].
          apply thread_order_is_path; [assumption |]. eapply to_program; try eassumption. lia. }
        apply (Hin j f Hj Hf) in H. lia.
      - assert (H : In j (kept n)) by (apply (Hin j f Hj Hf); lia). apply kept_in in H. lia. }
    rewrite depth_of_thread, <- Hp, <- depth_of_thread, (depth_is_holder _ _ _ IH) in Hd.
    destruct (holder (pick tr (kept n)) m) as [[u d'] |]; [| lia].
    destruct (Pos.eqb_spec u (thread e)) as [-> |]; [eauto | lia].
  - destruct Hl as (Hne & Hr' & Hf & Hj). repeat split; auto.
Qed.

End Closed.

(** ** The first race *)

Section FirstRace.

Context (tr : trace) (Hw : well_formed tr) (i j : nat).
Context (Hrace : race tr i j) (Hfirst : forall k, k < j -> ~ racy tr k).

Definition before_pair (k : nat) : bool :=
  (if path_dec tr k i Hw then true else false) || (if path_dec tr k j Hw then true else false).

Lemma before_pair_spec k : before_pair k = true <-> path tr k i \/ path tr k j.
Proof.
  unfold before_pair. rewrite orb_true_iff.
  destruct (path_dec tr k i Hw), (path_dec tr k j Hw); intuition congruence.
Qed.

Lemma before_pair_closed a b : before_pair b = true -> path tr a b -> before_pair a = true.
Proof. rewrite !before_pair_spec. intros [H | H] Hab; eauto using path_trans. Qed.

Definition witness_prefix : list nat := kept before_pair (length tr).

Lemma witness_prefix_in k : In k witness_prefix <-> path tr k i \/ path tr k j.
Proof.
  unfold witness_prefix. rewrite kept_in, before_pair_spec. split; [tauto |]. intro H. split; [| assumption].
  destruct H as [H | H]; apply path_ends in H; tauto.
Qed.

(** Before the first racy event, conflicting accesses are ordered. *)
Lemma ordered_before_first a b e f :
  a < b -> b < j -> nth_error tr a = Some e -> nth_error tr b = Some f -> conflict e f -> path tr a b.
Proof.
  intros Hab Hbj He Hf Hc. destruct (path_dec tr a b Hw) as [H | H]; [assumption | exfalso].
  apply (Hfirst b Hbj). exists a. split; [assumption |]. exists e, f. repeat (split; [assumption |]).
  intro Hhb. apply H, hb_iff_path; assumption.
Qed.

Theorem first_race_is_predictable : exists p, lw_witness tr p i j.
Proof.
  destruct Hrace as (Hij & ei & ej & Hi & Hj & Hc & Hnhb).
  assert (Hnp : ~ path tr i j) by (intro H; apply Hnhb, hb_iff_path; assumption).
  set (p := witness_prefix).
  assert (Hip : ~ In i p).
  { unfold p. rewrite witness_prefix_in. intros [H | H]; [apply path_lt in H; lia | contradiction]. }
  assert (Hjp : ~ In j p).
  { unfold p. rewrite witness_prefix_in. intros [H | H]; apply path_lt in H; lia. }
  assert (Hpj : forall k, In k p -> k < j).
  { unfold p. intros k Hk. apply witness_prefix_in in Hk as [Hk | Hk]; apply path_lt in Hk; lia. }
  assert (Hn : NoDup (p ++ [i; j])).
  { replace (p ++ [i; j]) with ((p ++ [i]) ++ [j]) by (rewrite <- app_assoc; reflexivity).
    apply nodup_snoc; [apply nodup_snoc; [apply kept_nodup | assumption] |].
    intro H. apply in_app_or in H as [H | [H | []]]; [contradiction | lia]. }
  exists p. split.
  - exact Hn.
  - intros k Hk. apply in_app_or in Hk as [Hk | [<- | [<- | []]]].
    + apply Hpj in Hk. apply nth_some_lt in Hj. lia.
    + eapply nth_some_lt. eassumption.
    + eapply nth_some_lt. eassumption.
  - intros a b Hb Hab. pose proof (thread_order_is_path _ _ _ Hw Hab) as Hpath.
    assert (Hin : forall c, In c p -> path tr a c -> before p a c).
    { intros c Hcp Hac. unfold p, witness_prefix. apply kept_before; [eapply path_lt; eassumption | | assumption].
      apply kept_in in Hcp as [_ Hcp]. eapply before_pair_closed; eassumption. }
    apply in_app_or in Hb as [Hb | [<- | [<- | []]]].
    + apply before_of_prefix. auto.
    + exists p, [j]. split; [reflexivity |]. unfold p. apply witness_prefix_in. auto.
    + exists (p ++ [i]), []. rewrite <- app_assoc. split; [reflexivity |]. apply in_or_app. left.
      unfold p. apply witness_prefix_in. auto.
  - (* locks: the prefix keeps them, and accesses do not change them *)
    assert (Hwp : well_formed (pick tr p)) by (apply kept_well_formed; eauto using before_pair_closed).
    pose proof Hc as (Hne & x & Hax & Hbx & _).
    assert (Hjoin : forall u, joined (pick tr p) u -> forall k e, nth_error tr k = Some e -> thread e = u ->
      k = i \/ k = j -> False).
    { intros u (g & Hg & Hag) k e Hk Hu Hkij. unfold pick in Hg. apply in_flat_map in Hg as (n & Hnp' & Hg).
      destruct (nth_error tr n) as [g' |] eqn:En; [| destruct Hg]. destruct Hg as [<- | []].
      assert (Hkp : path tr k n).
      { apply thread_order_is_path; [assumption |]. apply (child_is_before_join tr k n e g' Hk En). congruence. }
      assert (Hkin : In k p).
      { unfold p in *. apply witness_prefix_in. apply witness_prefix_in in Hnp' as [H | H]; eauto using path_trans. }
      destruct Hkij as [-> | ->]; contradiction. }
    rewrite pick_app, (pick_cons _ _ _ _ Hi), (pick_cons _ _ _ _ Hj). simpl.
    replace (pick tr p ++ [ei; ej]) with ((pick tr p ++ [ei]) ++ [ej]) by (rewrite <- app_assoc; reflexivity).
    apply well_formed_snoc. split; [apply well_formed_snoc; split; [assumption |] |].
    + split; [intro H; exact (Hjoin _ H i ei Hi eq_refl (or_introl eq_refl)) |]. destruct Hax as [-> | ->]; exact I.
    + split; [| destruct Hbx as [-> | ->]; exact I]. intro H. apply joined_snoc in H as [H | H].
      * exact (Hjoin _ H j ej Hj eq_refl (or_intror eq_refl)).
      * destruct Hax; congruence.
  - (* reads keep their writers: accesses that conflict with an executed read are ordered *)
    intros q k r t x Ep Hk.
    assert (Hkp : In k p) by (rewrite Ep; apply in_or_app; simpl; auto).
    assert (Hq : q = kept before_pair k).
    { assert (E : exists rest, p = kept before_pair k ++ k :: rest).
      { apply kept_in in Hkp as [Hlt Hkeep]. unfold p, witness_prefix. clear -Hlt Hkeep.
        induction (length tr) as [| n IH]; [lia |]. rewrite kept_succ. destruct (Nat.eq_dec k n) as [<- | Hne].
        - rewrite Hkeep. eauto.
        - destruct IH as (rest & E); [lia |]. rewrite E. destruct (before_pair n); [| eauto].
          exists (rest ++ [n]). now rewrite <- app_assoc. }
      destruct E as (rest & E). rewrite Ep in E. apply (split_unique k q r _ rest); [| assumption].
      rewrite <- Ep. apply kept_nodup. }
    assert (Hkj : k < j) by auto.
    (* the last writer of a list in the order of the trace, from which only events that do not write [x] were left out *)
    assert (Hskip : forall n, n <= k -> last_write tr (kept before_pair n) x = last_write tr (seq 0 n) x).
    { induction n as [| n IH]; intro Hnk; [reflexivity |]. specialize (IH ltac:(lia)).
      rewrite kept_succ, seq_S. simpl. rewrite last_write_snoc, <- IH.
      destruct (before_pair n) eqn:Eb; [now rewrite last_write_snoc |].
      destruct (nth_error tr n) as [[tn an] |] eqn:En; [| reflexivity].
      destruct an as [y | y | | | | | |]; try reflexivity.
      destruct (Pos.eqb_spec x y) as [Exy | _]; [exfalso | reflexivity].
      assert (Hpath : path tr n k).
      { destruct (Pos.eq_dec tn t) as [Et | Et].
        - apply thread_order_is_path; [assumption |]. eapply to_program; eassumption.
        - eapply ordered_before_first; try eassumption. split; [simpl; congruence |].
          exists x. unfold accesses, HappensBefore.writes. simpl. rewrite Exy. auto. }
      apply kept_in in Hkp as [_ Hkp]. rewrite (before_pair_closed _ _ Hkp Hpath) in Eb. discriminate. }
    rewrite Hq. apply Hskip. lia.
  - exists ei, ej. auto.
Qed.

End FirstRace.

Theorem first_race_is_a_race_of_the_program P l i j :
  execution P l -> first_race (erase l) j -> race (erase l) i j ->
  exists p e f v1 v2,
    nth_error (erase l) i = Some e /\ nth_error (erase l) j = Some f /\ conflict e f /\
    execution P (pick l p) /\
    execution P (pick l p ++ [Valued e v1]) /\
    execution P (pick l p ++ [Valued f v2]).
Proof.
  intros Hl [_ Hmin] Hr. pose proof (execution_well_formed _ _ Hl) as Hw.
  destruct (first_race_is_predictable (erase l) Hw i j Hr Hmin) as (p & Hwit).
  destruct (witness_shows_a_race P l Hl p i j Hwit) as (e & f & v1 & v2 & He & Hf & Hc & X1 & X2).
  exists p, e, f, v1, v2. repeat (split; [assumption |]). split; [eapply witness_is_an_execution; eassumption | auto].
Qed.

(** What the detectors report is a race of the program that was run. *)
Theorem reported_race_is_a_race_of_the_program P l j f o :
  execution P l -> judge (erase l) = FirstRaces (Some j) f o ->
  exists i p a b v1 v2,
    nth_error (erase l) i = Some a /\ nth_error (erase l) j = Some b /\ conflict a b /\
    execution P (pick l p ++ [Valued a v1]) /\
    execution P (pick l p ++ [Valued b v2]).
Proof.
  intros Hl H. apply judge_is_right in H as (_ & Hfirst & _). simpl in Hfirst. pose proof Hfirst as [(i & Hr) _].
  destruct (first_race_is_a_race_of_the_program P l i j Hl Hfirst Hr) as (p & a & b & v1 & v2 & Ha & Hb & Hc & _ & X1 & X2).
  exists i, p, a, b, v1, v2. auto.
Qed.
