(** * The judge

    The executable program that is extracted: is a trace well formed, and if it is, where is its first race?
    - [check_well_formed]: finds the first event that is not legal, and says why; [check_is_right].
    - [judge]: the answers of VectorClock, FastTrack and FTO; [judge_is_right], [judge_refuses_ill_formed].

    The last section runs it on small traces inside Coq: a race, an order by a lock, by fork and join, two joins of one
    thread, a child without events, and a recursive lock.

    C++ twin: the analyses [unopt-hb], [ft2-hb] and [fto-hb], and [WellFormedness] before them. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Detector VectorClock FastTrack Fto.

(** ** Well-formedness, as a program *)

Inductive fault :=
| ActsAfterJoin
| AcquiresHeldLock
| ReleasesUnheldLock
| ForksItself
| ForksOldThread
| JoinsItself.

(** Who holds each lock; the threads that can no longer be forked; the threads that were joined. *)
Record progress := Progress { held : PM.t (tid * nat); old : PM.t unit; over : PM.t unit }.

Definition no_progress : progress := Progress (PM.empty _) (PM.empty _) (PM.empty _).

Definition mark (t : tid) (m : PM.t unit) : PM.t unit := PM.add t tt m.

(** C++ twin: [WellFormedness::check]. *)
Definition check_event (p : progress) (e : event) : progress + fault :=
  let t := thread e in
  if PM.mem t (over p) then inr ActsAfterJoin
  else
    let seen := mark t (old p) in
    match action e with
    | Acquire m =>
        match PM.find m (held p) with
        | None => inl (Progress (PM.add m (t, 0) (held p)) seen (over p))
        | Some (u, d) =>
            if Pos.eqb u t then inl (Progress (PM.add m (u, S d) (held p)) seen (over p))
            else inr AcquiresHeldLock
        end
    | Release m =>
        match PM.find m (held p) with
        | None => inr ReleasesUnheldLock
        | Some (u, d) =>
            if Pos.eqb u t then
              match d with
              | 0 => inl (Progress (PM.remove m (held p)) seen (over p))
              | S d' => inl (Progress (PM.add m (u, d') (held p)) seen (over p))
              end
            else inr ReleasesUnheldLock
        end
    | Fork u =>
        if Pos.eqb u t then inr ForksItself
        else if PM.mem u (old p) then inr ForksOldThread
        else inl (Progress (held p) (mark u seen) (over p))
    | Join u =>
        if Pos.eqb u t then inr JoinsItself
        else inl (Progress (held p) (mark u seen) (mark u (over p)))
    | Read _ | Write _ | Begin | End => inl (Progress (held p) seen (over p))
    end.

Fixpoint check_from (p : progress) (tr : trace) (i : nat) : option (nat * fault) :=
  match tr with
  | [] => None
  | e :: rest =>
      match check_event p e with
      | inl p' => check_from p' rest (S i)
      | inr why => Some (i, why)
      end
  end.

Definition check_well_formed (tr : trace) : option (nat * fault) := check_from no_progress tr 0.

(** The invariant of a [progress]: it describes the trace so far. *)
Record follows (p : progress) (tr : trace) : Prop := {
  follows_held : forall m, PM.find m (held p) = holder tr m;
  follows_old : forall u, PM.mem u (old p) = true <-> ran tr u \/ forked tr u \/ joined tr u;
  follows_over : forall u, PM.mem u (over p) = true <-> joined tr u
}.

Lemma ran_snoc tr e u : ran (tr ++ [e]) u <-> ran tr u \/ thread e = u.
Proof.
  unfold ran. split.
  - intros (f & Hin & Hf). apply in_app_or in Hin as [Hin | [-> | []]]; eauto.
  - intros [(f & Hin & Hf) | H]; [exists f | exists e]; rewrite in_app_iff; simpl; auto.
Qed.

Lemma forked_snoc tr e u : forked (tr ++ [e]) u <-> forked tr u \/ action e = Fork u.
Proof.
  unfold forked. split.
  - intros (f & Hin & Hf). apply in_app_or in Hin as [Hin | [-> | []]]; eauto.
  - intros [(f & Hin & Hf) | H]; [exists f | exists e]; rewrite in_app_iff; simpl; auto.
Qed.

Lemma mem_mark u t m : PM.mem u (mark t m) = true <-> PM.mem u m = true \/ t = u.
Proof.
  unfold mark. rewrite !PM.mem_find. destruct (Pos.eq_dec u t) as [-> | Hne].
  - rewrite PM.gss. tauto.
  - rewrite PM.gso by assumption. intuition congruence.
Qed.

Lemma follows_nil : follows no_progress [].
Proof.
  split; intros; simpl; rewrite ?PM.mem_find, ?PM.gempty; try reflexivity; (split; [discriminate |]).
  - intros [(e & [] & _) | [(e & [] & _) | (e & [] & _)]].
  - intros (e & [] & _).
Qed.

Lemma check_event_accepts p tr e p' :
  follows p tr -> check_event p e = inl p' -> legal tr e /\ follows p' (tr ++ [e]).
Proof.
  intros [Hh Ho Hv] H. unfold check_event in H.
  destruct (PM.mem (thread e) (over p)) eqn:Eover; [discriminate |].
  assert (Hlive : ~ joined tr (thread e)) by (rewrite <- Hv; congruence).
  unfold legal. destruct (action e) as [x | x | m | m | u | u | |] eqn:Ha;
    try (injection H as <-; split; [auto |]; split; simpl;
         [intro k; rewrite holder_snoc; unfold hold_step; rewrite Ha; apply Hh
         | intro k; rewrite mem_mark, Ho, ran_snoc, forked_snoc, joined_snoc, Ha; intuition discriminate
         | intro k; rewrite Hv, joined_snoc, Ha; intuition discriminate]).
  - (* acquire *)
    assert (Hholder : forall k h q, (h = PM.add m q (held p)) -> hold_step m (holder tr m) e = Some q ->
      PM.find k h = holder (tr ++ [e]) k).
    { intros k h q -> Hs. rewrite holder_snoc. destruct (Pos.eq_dec k m) as [-> | Hne].
      - now rewrite PM.gss, Hs.
      - rewrite PM.gso by assumption. unfold hold_step. rewrite Ha. apply Pos.eqb_neq in Hne. rewrite Hne. apply Hh. }
    rewrite Hh in H. destruct (holder tr m) as [[u d] |] eqn:Eh.
    + destruct (Pos.eqb_spec u (thread e)) as [-> |]; [| discriminate]. injection H as <-. split; [eauto |].
      split; simpl.
      * intro k. eapply Hholder; [reflexivity |]. unfold hold_step. now rewrite Ha, Pos.eqb_refl.
      * intro k. rewrite mem_mark, Ho, ran_snoc, forked_snoc, joined_snoc, Ha. intuition discriminate.
      * intro k. rewrite Hv, joined_snoc, Ha. intuition discriminate.
    + injection H as <-. split; [eauto |]. split; simpl.
      * intro k. eapply Hholder; [reflexivity |]. unfold hold_step. now rewrite Ha, Pos.eqb_refl.
      * intro k. rewrite mem_mark, Ho, ran_snoc, forked_snoc, joined_snoc, Ha. intuition discriminate.
      * intro k. rewrite Hv, joined_snoc, Ha. intuition discriminate.
  - (* release *)
    rewrite Hh in H. destruct (holder tr m) as [[u d] |] eqn:Eh; [| discriminate].
    destruct (Pos.eqb_spec u (thread e)) as [-> |]; [| discriminate].
    assert (Hother : forall k, k <> m -> holder (tr ++ [e]) k = PM.find k (held p)).
    { intros k Hne. rewrite holder_snoc. unfold hold_step. rewrite Ha. apply Pos.eqb_neq in Hne. rewrite Hne.
      symmetry. apply Hh. }
    assert (Hsame : holder (tr ++ [e]) m = match d with 0 => None | S d' => Some (thread e, d') end).
    { rewrite holder_snoc. unfold hold_step. rewrite Ha, Pos.eqb_refl, Eh. destruct d; reflexivity. }
    split; [split; [assumption | exists d; reflexivity] |].
    destruct d as [| d]; injection H as <-; split; simpl;
      try (intro k; rewrite mem_mark, Ho, ran_snoc, forked_snoc, joined_snoc, Ha; intuition discriminate);
      try (intro k; rewrite Hv, joined_snoc, Ha; intuition discriminate).
    + intro k. destruct (Pos.eq_dec k m) as [-> | Hne]; [now rewrite PM.grs | now rewrite PM.gro, Hother].
    + intro k. destruct (Pos.eq_dec k m) as [-> | Hne]; [now rewrite PM.gss | now rewrite PM.gso, Hother].
  - (* fork *)
    destruct (Pos.eqb_spec u (thread e)) as [-> | Hne]; [discriminate |].
    destruct (PM.mem u (old p)) eqn:Eold; [discriminate |]. injection H as <-.
    assert (Hnew : ~ (ran tr u \/ forked tr u \/ joined tr u)) by (rewrite <- Ho; congruence).
    split; [tauto |]. split; simpl.
    + intro k. rewrite holder_snoc. unfold hold_step. rewrite Ha. apply Hh.
    + intro k. rewrite !mem_mark, Ho, ran_snoc, forked_snoc, joined_snoc, Ha. intuition congruence.
    + intro k. rewrite Hv, joined_snoc, Ha. intuition discriminate.
  - (* join *)
    destruct (Pos.eqb_spec u (thread e)) as [-> | Hne]; [discriminate |]. injection H as <-.
    split; [tauto |]. split; simpl.
    + intro k. rewrite holder_snoc. unfold hold_step. rewrite Ha. apply Hh.
    + intro k. rewrite !mem_mark, Ho, ran_snoc, forked_snoc, joined_snoc, Ha. intuition congruence.
    + intro k. rewrite mem_mark, Hv, joined_snoc, Ha. intuition congruence.
Qed.

Lemma check_event_refuses p tr e why :
  follows p tr -> check_event p e = inr why -> ~ legal tr e.
Proof.
  intros [Hh Ho Hv] H [Hlive Hl]. unfold check_event in H.
  destruct (PM.mem (thread e) (over p)) eqn:Eover; [apply Hlive, Hv, Eover |].
  destruct (action e) as [x | x | m | m | u | u | |]; try discriminate.
  - rewrite Hh in H. destruct Hl as [Hl | (d & Hl)]; rewrite Hl in H; [discriminate |].
    rewrite Pos.eqb_refl in H. discriminate.
  - rewrite Hh in H. destruct Hl as (d & Hl). rewrite Hl, Pos.eqb_refl in H. destruct d; discriminate.
  - destruct Hl as (Hne & Hr & Hf & Hj). apply Pos.eqb_neq in Hne. rewrite Hne in H.
    destruct (PM.mem u (old p)) eqn:Eold; [| discriminate]. apply Ho in Eold. tauto.
  - apply Pos.eqb_neq in Hl. rewrite Hl in H. discriminate.
Qed.

Lemma check_from_is_right p before tr :
  follows p before -> well_formed before ->
  match check_from p tr (length before) with
  | None => well_formed (before ++ tr)
  | Some (i, _) => ~ well_formed (before ++ tr) /\
                   well_formed (firstn i (before ++ tr)) /\
                   exists e, nth_error (before ++ tr) i = Some e /\ ~ legal (firstn i (before ++ tr)) e
  end.
Proof.
  revert p before. induction tr as [| e tr IH]; intros p before Hp Hw; simpl; [now rewrite app_nil_r |].
  destruct (check_event p e) as [p' | why] eqn:E.
  - destruct (check_event_accepts _ _ _ _ Hp E) as [Hl Hp'].
    specialize (IH p' (before ++ [e]) Hp' (proj2 (well_formed_snoc _ _) (conj Hw Hl))).
    rewrite app_length, <- app_assoc, Nat.add_1_r in IH. exact IH.
  - assert (Hno := check_event_refuses _ _ _ _ Hp E).
    assert (Hf : firstn (length before) (before ++ e :: tr) = before)
      by (rewrite firstn_app, Nat.sub_diag, firstn_all; simpl; apply app_nil_r).
    assert (Hn : nth_error (before ++ e :: tr) (length before) = Some e)
      by (rewrite nth_error_app2, Nat.sub_diag by lia; reflexivity).
    rewrite Hf. split; [| split; [assumption | eauto]].
    intro Hall. apply Hno. rewrite <- Hf at 1. apply Hall, Hn.
Qed.

(** The check finds the first event that is not legal, if there is one. *)
Theorem check_is_right tr :
  match check_well_formed tr with
  | None => well_formed tr
  | Some (i, _) => ~ well_formed tr /\
                   well_formed (firstn i tr) /\
                   exists e, nth_error tr i = Some e /\ ~ legal (firstn i tr) e
  end.
Proof. exact (check_from_is_right no_progress [] tr follows_nil well_formed_nil). Qed.

(** ** The judge *)

Inductive verdict :=
| IllFormed (i : nat) (why : fault)
| FirstRaces (vector_clock fast_track fto : option nat).

Definition judge (tr : trace) : verdict :=
  match check_well_formed tr with
  | Some (i, why) => IllFormed i why
  | None => FirstRaces (vector_clock_detect LeaveChild tr) (fast_track_detect LeaveChild tr) (fto_detect LeaveChild tr)
  end.

(** The events that the detector reports that continues after races.  C++ twin: the [races] of [unopt-hb]. *)
Fixpoint racy_events_from (s : VectorClock.state) (tr : trace) (i : nat) : list nat :=
  match tr with
  | [] => []
  | e :: rest =>
      if races s e
      then i :: racy_events_from (record LeaveChild s e) rest (S i)
      else racy_events_from (record LeaveChild s e) rest (S i)
  end.

Definition racy_events (tr : trace) : list nat := racy_events_from VectorClock.initial tr 0.

Lemma racy_events_from_is_right before tr i :
  well_formed (before ++ tr) ->
  (In i (racy_events_from (record_all LeaveChild before) tr (length before)) <->
   length before <= i /\ racy (before ++ tr) i).
Proof.
  revert before. induction tr as [| e tr IH]; intros before Hw.
  - simpl. rewrite app_nil_r. split; [intros [] |]. intros [Hle Hr]. apply racy_lt in Hr. lia.
  - assert (Eapp : before ++ e :: tr = (before ++ [e]) ++ tr) by (rewrite <- app_assoc; reflexivity).
    assert (Hlen : length (before ++ [e]) = S (length before)) by (rewrite app_length; simpl; lia).
    assert (Hpre : firstn (S (length before)) (before ++ e :: tr) = before ++ [e])
      by (rewrite Eapp, <- Hlen, firstn_app, Nat.sub_diag, firstn_all; simpl; apply app_nil_r).
    assert (Hwe : well_formed (before ++ [e])) by (rewrite <- Hpre; apply well_formed_prefix, Hw).
    assert (Hhere : races (record_all LeaveChild before) e = true <-> racy (before ++ e :: tr) (length before)).
    { rewrite (reports_exactly_the_races LeaveChild) by assumption.
      rewrite <- (racy_prefix (before ++ e :: tr) (S (length before))) by (auto; lia). now rewrite Hpre. }
    rewrite Eapp in Hw. specialize (IH (before ++ [e]) Hw).
    rewrite Hlen, record_all_snoc, <- Eapp in IH. simpl.
    assert (Hsplit : forall P : Prop, (length before <= i /\ P) <-> ((i = length before /\ P) \/ (S (length before) <= i /\ P))).
    { intro P. destruct (Nat.eq_dec i (length before)); split; intros; intuition lia. }
    rewrite Hsplit, <- IH.
    destruct (races _ e); simpl; split.
    + intros [<- | H]; [left; intuition | auto].
    + intros [[-> _] | H]; auto.
    + auto.
    + intros [[-> H] | H]; [apply Hhere in H; discriminate | assumption].
Qed.

Theorem racy_events_are_the_racy_events tr i : well_formed tr -> (In i (racy_events tr) <-> racy tr i).
Proof.
  intro Hw. unfold racy_events. rewrite (racy_events_from_is_right [] tr i Hw). simpl. intuition lia.
Qed.

(** An answer of the judge is the definition's answer. *)
Definition answers (tr : trace) (o : option nat) : Prop :=
  match o with
  | Some f => first_race tr f
  | None => race_free tr
  end.

Theorem judge_is_right tr v f o :
  judge tr = FirstRaces v f o -> well_formed tr /\ answers tr v /\ answers tr f /\ answers tr o.
Proof.
  unfold judge. pose proof (check_is_right tr) as Hc. destruct (check_well_formed tr) as [[i why] |]; [discriminate |].
  intros [= <- <- <-]. split; [assumption |]. unfold answers. split; [| split].
  - destruct (vector_clock_detect LeaveChild tr) eqn:E;
      [apply (vector_clock_first_race LeaveChild) | apply (vector_clock_no_race LeaveChild)]; assumption.
  - destruct (fast_track_detect LeaveChild tr) eqn:E;
      [apply (fast_track_first_race LeaveChild) | apply (fast_track_no_race LeaveChild)]; assumption.
  - destruct (fto_detect LeaveChild tr) eqn:E;
      [apply (fto_first_race LeaveChild) | apply (fto_no_race LeaveChild)]; assumption.
Qed.

Theorem judge_refuses_ill_formed tr :
  (exists i why, judge tr = IllFormed i why) <-> ~ well_formed tr.
Proof.
  unfold judge. pose proof (check_is_right tr) as Hc. destruct (check_well_formed tr) as [[i why] |].
  - split; [intros _; tauto | eauto].
  - split; [intros (i & why & H); discriminate | contradiction].
Qed.

(** The detectors always agree. *)
Lemma answers_unique tr v f : answers tr v -> answers tr f -> v = f.
Proof.
  destruct v as [i |], f as [j |]; simpl; auto.
  - intros [Hi Hmi] [Hj Hmj].
    destruct (lt_eq_lt_dec i j) as [[Hlt | ->] | Hlt]; [exfalso; eapply Hmj; eauto | reflexivity | exfalso; eapply Hmi; eauto].
  - intros [Hi _] Hf. exfalso. exact (Hf i Hi).
  - intros Hv [Hj _]. exfalso. exact (Hv j Hj).
Qed.

Theorem detectors_agree tr v f o : judge tr = FirstRaces v f o -> v = f /\ f = o.
Proof.
  intro H. destruct (judge_is_right _ _ _ _ H) as (_ & Hv & Hf & Ho). split; eapply answers_unique; eassumption.
Qed.

(** ** Small traces *)

Local Notation "t : a" := (Event t a) (at level 60).
Local Open Scope positive_scope.

Definition all_say (o : option nat) : verdict := FirstRaces o o o.

Example a_race : judge [1 : Write 1; 2 : Read 1] = all_say (Some 1%nat).
Proof. reflexivity. Qed.

Example ordered_by_a_lock :
  judge [1 : Acquire 1; 1 : Write 1; 1 : Release 1; 2 : Acquire 1; 2 : Read 1; 2 : Release 1] = all_say None.
Proof. reflexivity. Qed.

Example ordered_by_fork_and_join :
  judge [1 : Write 1; 1 : Fork 2; 2 : Write 1; 1 : Join 2; 1 : Write 1] = all_say None.
Proof. reflexivity. Qed.

(** Threads 1 and 3 both join thread 2.  Its write is before the reads of both; the read of 1 is not before the write of 3. *)
Example two_joins :
  judge [1 : Fork 2; 2 : Write 1; 2 : End; 1 : Join 2; 3 : Join 2; 1 : Read 1; 3 : Read 1] = all_say None /\
  judge [1 : Fork 2; 2 : Write 1; 2 : End; 1 : Join 2; 3 : Join 2; 1 : Read 1; 3 : Write 1]
  = all_say (Some 6%nat).
Proof. split; reflexivity. Qed.

Example a_child_without_events :
  judge [1 : Write 1; 1 : Fork 2; 3 : Join 2; 3 : Write 1] = all_say None.
Proof. reflexivity. Qed.

Example a_recursive_lock :
  judge [1 : Acquire 1; 1 : Acquire 1; 1 : Write 1; 1 : Release 1; 1 : Release 1; 2 : Acquire 1; 2 : Write 1]
  = all_say None.
Proof. reflexivity. Qed.

(** The reads of 1 and 3 are concurrent, and only one of them is before the write. *)
Example shared_reads :
  judge [1 : Read 1; 3 : Read 1; 1 : Release 1; 2 : Acquire 1; 2 : Write 1] = IllFormed 2%nat ReleasesUnheldLock /\
  judge [1 : Acquire 1; 1 : Read 1; 3 : Read 1; 1 : Release 1; 2 : Acquire 1; 2 : Write 1]
  = all_say (Some 5%nat).
Proof. split; reflexivity. Qed.
