(** * Where sections end

    One pass over a trace finds, for each event with which a thread begins to hold a lock, the event after which it no longer
    holds it.  Exclusive and shared sections of a lock are separate: [mode] false and true.
    - [level tr t m mode]: how deep thread [t] holds [m] after [tr];
    - [ends_of]: the table; [ends_are_right]: from a section's start up to its end, or for ever, the level is above zero;
    - [rival_waits]: in a reordering, a rival that acquires the lock after a section has begun does so after it has ended.

    C++ twin: [TraceIndex::find_sections]. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Reordering EventModel CorrectReordering EventRules WitnessRows.

(** ** How deep a thread holds a lock *)

(** The lock that an operation takes or gives back, and in which mode. *)
Definition acts_on (a : operation) : option (lock * bool) :=
  match a with
  | Acquire m | Release m | Wait m | Wake m => Some (m, false)
  | AcquireShared m | ReleaseShared m => Some (m, true)
  | _ => None
  end.

(** The second number is the depth to restore after a wait. *)
Definition value (tr : trace) (t : tid) (m : lock) (mode : bool) : nat * nat :=
  if mode then (shared tr t m, 0) else depths tr t m.

Definition value_step (a : operation) (d : nat * nat) : nat * nat :=
  match a with
  | Acquire _ => (S (fst d), snd d)
  | Release _ => (pred (fst d), snd d)
  | Wait _ => (0, fst d)
  | Wake _ => (snd d, 0)
  | AcquireShared _ => (S (fst d), 0)
  | ReleaseShared _ => (pred (fst d), 0)
  | _ => d
  end.

Definition level (tr : trace) (t : tid) (m : lock) (mode : bool) : nat := fst (value tr t m mode).

Definition concerns (e : event) (t : tid) (m : lock) (mode : bool) : bool :=
  match acts_on (action e) with
  | Some (k, b) => Pos.eqb (thread e) t && Pos.eqb k m && Bool.eqb b mode
  | None => false
  end.

Lemma value_snoc tr e t m mode :
  value (tr ++ [e]) t m mode =
  if concerns e t m mode then value_step (action e) (value tr t m mode) else value tr t m mode.
Proof.
  unfold value, concerns. rewrite depths_snoc, shared_snoc. unfold depth_step, shared_step.
  destruct (action e) as [x | x | x | x | k | k | k | k | k | k | b | b | o x | o x | o x | o | u | u | |]; simpl;
    destruct (Pos.eqb (thread e) t); simpl; try (destruct mode; reflexivity);
    destruct (Pos.eqb k m), mode; reflexivity.
Qed.

(** It depends on the thread's own events alone. *)
Lemma value_of_thread tr t m mode : value tr t m mode = value (of_thread thread t tr) t m mode.
Proof.
  induction tr as [| e tr IH] using rev_ind; [reflexivity |].
  rewrite of_thread_app. unfold of_thread at 2. simpl. rewrite value_snoc.
  destruct (Pos.eqb (thread e) t) eqn:Et.
  - now rewrite value_snoc, IH.
  - rewrite app_nil_r, IH. unfold concerns. rewrite Et. now destruct (acts_on (action e)) as [[k b] |].
Qed.

(** ** The table *)

(** A key for a lock and a mode. *)
Definition lock_key (m : lock) (mode : bool) : positive := if mode then xI m else xO m.

Lemma lock_key_eqb k b m mode : Pos.eqb (lock_key k b) (lock_key m mode) = Pos.eqb k m && Bool.eqb b mode.
Proof. destruct b, mode; simpl; rewrite ?andb_true_r, ?andb_false_r; reflexivity. Qed.

Record section_pass := SectionPass {
  passed : nat;
  held : PM.t (PM.t ((nat * nat) * option nat));  (* per thread and lock: the value, and the start of the section *)
  ends : PM.t (option nat)  (* of each start; [None]: not yet ended *)
}.

Definition no_pass : section_pass := SectionPass 0 (PM.empty _) (PM.empty _).

Definition held_by (s : section_pass) (t : tid) : PM.t ((nat * nat) * option nat) :=
  match PM.find t (held s) with Some l => l | None => PM.empty _ end.
Definition held_in (s : section_pass) (t : tid) (m : lock) (mode : bool) : (nat * nat) * option nat :=
  match PM.find (lock_key m mode) (held_by s t) with Some v => v | None => ((0, 0), None) end.

Definition close (start : option nat) (n : nat) (table : PM.t (option nat)) : PM.t (option nat) :=
  match start with
  | Some a => match PM.find (key a) table with Some None => PM.add (key a) (Some n) table | _ => table end
  | None => table
  end.

Definition pass_event (s : section_pass) (e : event) : section_pass :=
  let n := passed s in
  match acts_on (action e) with
  | None => SectionPass (S n) (held s) (ends s)
  | Some (m, mode) =>
      let t := thread e in
      let '(d, start) := held_in s t m mode in
      let d' := value_step (action e) d in
      let '(start', table) :=
        match fst d, fst d' with
        | 0, S _ => (Some n, PM.add (key n) None (ends s))
        | _, 0 => (None, close start n (ends s))
        | _, _ => (start, ends s)
        end in
      SectionPass (S n) (PM.add t (PM.add (lock_key m mode) (d', start') (held_by s t)) (held s)) table
  end.

Definition pass_of (tr : trace) : section_pass := fold_left pass_event tr no_pass.
Definition ends_of (tr : trace) : PM.t (option nat) := ends (pass_of tr).

Lemma pass_of_snoc tr e : pass_of (tr ++ [e]) = pass_event (pass_of tr) e.
Proof. unfold pass_of. now rewrite fold_left_app. Qed.

(** ** The meaning of the table *)

(** The level is above zero after each event from [a] on, before [n]. *)
Definition holds_from (tr : trace) (t : tid) (m : lock) (mode : bool) (a n : nat) : Prop :=
  forall k, a <= k < n -> 0 < level (firstn (S k) tr) t m mode.

Record section_at (tr : trace) (a : nat) (end_of : option nat) (t : tid) (m : lock) (mode : bool) : Prop := {
  starts_with : exists e, nth_error tr a = Some e /\ thread e = t /\ acts_on (action e) = Some (m, mode);
  holds_until : holds_from tr t m mode a (match end_of with Some r => r | None => length tr end);
  ends_with : forall r, end_of = Some r -> a < r /\ exists f, nth_error tr r = Some f /\ thread f = t
}.

Record passes (s : section_pass) (tr : trace) : Prop := {
  passes_size : passed s = length tr;
  passes_value : forall t m mode, fst (held_in s t m mode) = value tr t m mode;
  passes_since : forall t m mode a, snd (held_in s t m mode) = Some a ->
    exists e, nth_error tr a = Some e /\ thread e = t /\ acts_on (action e) = Some (m, mode);
  passes_ends : forall a v, PM.find (key a) (ends s) = Some v ->
    exists t m mode, section_at tr a v t m mode /\ (v = None -> snd (held_in s t m mode) = Some a)
}.

Lemma passes_nil : passes no_pass [].
Proof.
  split; simpl; try reflexivity.
  - intros t m mode. unfold held_in, held_by. simpl. rewrite PM.gempty. simpl. rewrite PM.gempty. simpl. now destruct mode.
  - intros t m mode a. unfold held_in, held_by. simpl. rewrite PM.gempty. simpl. rewrite PM.gempty. discriminate.
  - intros a v H. now rewrite PM.gempty in H.
Qed.

Lemma holds_from_snoc tr e t m mode a n :
  n <= length tr -> holds_from tr t m mode a n -> holds_from (tr ++ [e]) t m mode a n.
Proof. intros Hn H k Hk. rewrite firstn_snoc_le by lia. now apply H. Qed.

Lemma section_bounds tr a v t m mode : section_at tr a v t m mode -> a < length tr.
Proof. intros [(e & He & _) _ _]. eapply nth_lt. eassumption. Qed.

(** Another event, that leaves the section as it is. *)
Lemma section_grows tr e a v t m mode :
  section_at tr a v t m mode -> (v = None -> 0 < level (tr ++ [e]) t m mode) -> section_at (tr ++ [e]) a v t m mode.
Proof.
  intros [(f & Hf & Ht & Ha) Hh He] Hl. pose proof (nth_lt _ _ _ Hf) as Hlt. split.
  - exists f. split; [apply nth_snoc; auto | auto].
  - destruct v as [r |].
    + destruct (He r eq_refl) as (_ & g & Hg & _). apply nth_lt in Hg. apply holds_from_snoc; [lia | assumption].
    + intros k Hk. rewrite app_length in Hk. simpl in Hk. destruct (Nat.eq_dec k (length tr)) as [-> | Hne].
      * rewrite firstn_all2 by (rewrite app_length; simpl; lia). auto.
      * rewrite firstn_snoc_le by lia. apply Hh. lia.
  - intros r Hr. destruct (He r Hr) as (Har & g & Hg & Hgt). split; [assumption |]. exists g. split; [apply nth_snoc |]; auto.
    left. split; [eapply nth_lt; eassumption | assumption].
Qed.

Lemma open_section_level tr a t m mode : section_at tr a None t m mode -> 0 < level tr t m mode.
Proof.
  intro H. pose proof (section_bounds _ _ _ _ _ _ H) as Hlt. destruct H as [_ Hh _].
  specialize (Hh (length tr - 1) ltac:(lia)). replace (S (length tr - 1)) with (length tr) in Hh by lia.
  now rewrite firstn_all in Hh.
Qed.

(** The event begins no section and ends none of [t], [m], [mode]. *)
Lemma level_other tr e t m mode : concerns e t m mode = false -> level (tr ++ [e]) t m mode = level tr t m mode.
Proof. intro H. unfold level. now rewrite value_snoc, H. Qed.

Lemma concerns_true e t m mode :
  concerns e t m mode = true <-> thread e = t /\ acts_on (action e) = Some (m, mode).
Proof.
  unfold concerns. destruct (acts_on (action e)) as [[k b] |]; [| split; [discriminate | intros [_ H]; discriminate]].
  rewrite !andb_true_iff, !Pos.eqb_eq, Bool.eqb_true_iff. split.
  - intros [[-> ->] ->]. auto.
  - intros [-> [= -> ->]]. auto.
Qed.

Lemma held_in_add s t m mode v k table u n b :
  held_in (SectionPass k (PM.add t (PM.add (lock_key m mode) v (held_by s t)) (held s)) table) u n b =
  if Pos.eqb t u && Pos.eqb m n && Bool.eqb mode b then v else held_in s u n b.
Proof.
  unfold held_in, held_by. simpl. rewrite find_add. destruct (Pos.eqb_spec t u) as [-> | Hne]; simpl; [| reflexivity].
  rewrite find_add, lock_key_eqb. now destruct (Pos.eqb m n && Bool.eqb mode b).
Qed.

Theorem pass_is_right tr : passes (pass_of tr) tr.
Proof.
  induction tr as [| e tr IH] using rev_ind; [apply passes_nil |]. rewrite pass_of_snoc. unfold pass_event.
  destruct IH as [Hsize Hvalue Hstart Hends]. set (s := pass_of tr) in *.
  assert (Hnth : forall a f, nth_error tr a = Some f -> nth_error (tr ++ [e]) a = Some f)
    by (intros a f H; apply nth_snoc; left; split; [eapply nth_lt; eassumption | assumption]).
  assert (Hlater : forall t m mode a, snd (held_in s t m mode) = Some a ->
    exists f, nth_error (tr ++ [e]) a = Some f /\ thread f = t /\ acts_on (action f) = Some (m, mode)).
  { intros t m mode a H. apply Hstart in H as (f & Hf & H). eauto. }
  destruct (acts_on (action e)) as [[m mode] |] eqn:Ea.
  2: { assert (Hno : forall t m mode, concerns e t m mode = false) by (intros; unfold concerns; now rewrite Ea).
       split; simpl.
       - rewrite app_length. simpl. lia.
       - intros t m mode. rewrite value_snoc, Hno. apply Hvalue.
       - exact Hlater.
       - intros a v H. destruct (Hends a v H) as (t & m & mode & Hs & Hopen). exists t, m, mode. split; [| assumption].
         apply section_grows; [assumption |]. intros ->. rewrite level_other by apply Hno. eapply open_section_level. eassumption. }
  destruct (held_in s (thread e) m mode) as [d start] eqn:Eheld.
  assert (Hd : value tr (thread e) m mode = d) by (rewrite <- Hvalue, Eheld; reflexivity).
  assert (Hself : concerns e (thread e) m mode = true) by (apply concerns_true; auto).
  assert (Hd' : value (tr ++ [e]) (thread e) m mode = value_step (action e) d) by (rewrite value_snoc, Hself, Hd; reflexivity).
  set (d' := value_step (action e) d) in *.
  assert (Htest : forall u n b, Pos.eqb (thread e) u && Pos.eqb m n && Bool.eqb mode b = concerns e u n b)
    by (intros; unfold concerns; now rewrite Ea).
  assert (Hof : forall t n b, concerns e t n b = true -> t = thread e /\ n = m /\ b = mode).
  { intros t n b H. apply concerns_true in H as [<- H]. rewrite Ea in H. injection H as <- <-. auto. }
  assert (Hlast : nth_error (tr ++ [e]) (length tr) = Some e) by (apply nth_snoc; auto).
  set (next := fun start' table => SectionPass (S (passed s))
    (PM.add (thread e) (PM.add (lock_key m mode) (d', start') (held_by s (thread e))) (held s)) table).
  assert (Hheld : forall start' table t n b, held_in (next start' table) t n b =
    if concerns e t n b then (d', start') else held_in s t n b) by (intros; unfold next; now rewrite held_in_add, Htest).
  (* A section that the table had and that this event does not end. *)
  assert (Hkept : forall a v t n b start' table, section_at tr a v t n b -> (v = None -> snd (held_in s t n b) = Some a) ->
    (v = None -> concerns e t n b = true -> 0 < fst d' /\ start' = start) ->
    section_at (tr ++ [e]) a v t n b /\ (v = None -> snd (held_in (next start' table) t n b) = Some a)).
  { intros a v t n b start' table Hs Hopen Hthis. destruct (concerns e t n b) eqn:Ec; split.
    - destruct (Hof _ _ _ Ec) as (-> & -> & ->). apply section_grows; [assumption |]. intro Hv. unfold level. rewrite Hd'.
      now apply Hthis.
    - destruct (Hof _ _ _ Ec) as (-> & -> & ->). intro Hv. rewrite Hheld, Ec. simpl.
      rewrite (proj2 (Hthis Hv eq_refl)). specialize (Hopen Hv). now rewrite Eheld in Hopen.
    - apply section_grows; [assumption |]. intros ->. rewrite level_other by assumption. eapply open_section_level. eassumption.
    - intro Hv. rewrite Hheld, Ec. auto. }
  assert (Hpasses : forall start' table,
    (forall a, start' = Some a -> exists f, nth_error (tr ++ [e]) a = Some f /\ thread f = thread e /\
      acts_on (action f) = Some (m, mode)) ->
    (forall a v, PM.find (key a) table = Some v -> exists t n b, section_at (tr ++ [e]) a v t n b /\
      (v = None -> snd (held_in (next start' table) t n b) = Some a)) ->
    passes (next start' table) (tr ++ [e])).
  { intros start' table Hs He. split; [simpl; rewrite app_length; simpl; lia | | | exact He].
    - intros t n b. rewrite Hheld, value_snoc. destruct (concerns e t n b) eqn:Ec; [| apply Hvalue].
      destruct (Hof _ _ _ Ec) as (-> & -> & ->). simpl. now rewrite Hd.
    - intros t n b a. rewrite Hheld. destruct (concerns e t n b) eqn:Ec; [| apply Hlater].
      destruct (Hof _ _ _ Ec) as (-> & -> & ->). simpl. apply Hs. }
  assert (Hclose : fst d' = 0 -> passes (next None (close start (passed s) (ends s))) (tr ++ [e])).
  { intro Hzero. apply Hpasses; [discriminate |].
    assert (Hold : forall a v, PM.find (key a) (ends s) = Some v -> (v = None -> start <> Some a) -> forall table,
      exists t n b, section_at (tr ++ [e]) a v t n b /\ (v = None -> snd (held_in (next None table) t n b) = Some a)).
    { intros a v H Hne table. destruct (Hends a v H) as (t & n & b & Hs & Hopen). exists t, n, b.
      apply Hkept; [assumption | assumption |]. intros Hv Hc. exfalso. apply (Hne Hv). specialize (Hopen Hv).
      destruct (Hof _ _ _ Hc) as (-> & -> & ->). now rewrite Eheld in Hopen. }
    intros a v H. unfold close in H |- *. destruct start as [c |]; [| now apply Hold].
    destruct (PM.find (key c) (ends s)) as [[r |] |] eqn:Ec.
    - apply Hold; [assumption |]. intros -> [= ->]. congruence.
    - rewrite find_add in H. destruct (Pos.eqb_spec (key c) (key a)) as [E | E].
      + apply key_inj in E as ->. injection H as <-. destruct (Hends a None Ec) as (t & n & b & Hs & _).
        exists t, n, b. split; [| discriminate]. pose proof (section_bounds _ _ _ _ _ _ Hs) as Hlt.
        destruct (Hstart (thread e) m mode a ltac:(now rewrite Eheld)) as (f & Hf & Hft & Hfa).
        pose proof Hs as [(g & Hg & Hgt & Hga) Hh _]. assert (g = f) by congruence. subst g. split.
        * exists f. auto.
        * rewrite Hsize. apply holds_from_snoc; [lia | assumption].
        * intros r [= <-]. rewrite Hsize. split; [assumption |]. exists e. split; [assumption | congruence].
      + apply Hold; [assumption |]. intros -> [= ->]. now apply E.
    - apply Hold; [assumption |]. intros -> [= ->]. congruence. }
  destruct (fst d) as [| l] eqn:Efd; destruct (fst d') as [| l'] eqn:Efd'; try (apply Hclose; reflexivity).
  - apply Hpasses.
    + intros a [= <-]. rewrite Hsize. exists e. auto.
    + intros a v H. rewrite find_add in H. destruct (Pos.eqb_spec (key (passed s)) (key a)) as [E | E].
      * apply key_inj in E. injection H as <-. exists (thread e), m, mode. rewrite Hsize in E. subst a. split.
        -- split; [exists e; auto | | discriminate]. intros k Hk. rewrite app_length in Hk. simpl in Hk.
           replace k with (length tr) by lia. rewrite firstn_all2 by (rewrite app_length; simpl; lia). unfold level. rewrite Hd'. lia.
        -- intros _. rewrite Hheld, Hself. simpl. now rewrite Hsize.
      * destruct (Hends a v H) as (t & n & b & Hs & Hopen). exists t, n, b. apply Hkept; [assumption | assumption |].
        intros -> Hc. destruct (Hof _ _ _ Hc) as (-> & -> & ->). exfalso. apply open_section_level in Hs.
        unfold level in Hs. rewrite Hd in Hs. lia.
  - apply Hpasses.
    + intros a ->. apply Hlater. now rewrite Eheld.
    + intros a v H. destruct (Hends a v H) as (t & n & b & Hs & Hopen). exists t, n, b. apply Hkept; [assumption | assumption |].
      intros _ _. split; [lia | reflexivity].
Qed.

(** The end of the section that begins with event [a]: nothing, if [a] begins none. *)
Definition end_in (table : PM.t (option nat)) (a : nat) : option (option nat) := PM.find (key a) table.

Theorem ends_are_right tr a v :
  end_in (ends_of tr) a = Some v -> exists t m mode, section_at tr a v t m mode.
Proof. intro H. destruct (passes_ends _ _ (pass_is_right tr) a v H) as (t & m & mode & Hs & _). eauto. Qed.

(** ** Rivals *)

(** The event takes the lock. *)
Definition takes (a : operation) : option (lock * bool) :=
  match a with
  | Acquire m | Wake m => Some (m, false)
  | AcquireShared m => Some (m, true)
  | _ => None
  end.

Lemma takes_legally tr e t m mode mode' :
  legal tr e -> takes (action e) = Some (m, mode') -> thread e <> t -> mode && mode' = false -> level tr t m mode = 0.
Proof.
  intros (_ & _ & H) Ht Hne Hm. unfold level, value.
  destruct (action e) as [x | x | x | x | k | k | k | k | k | k | b | b | o x | o x | o x | o | u | u | |]; try discriminate;
    injection Ht as -> <-.
  - destruct H as [Hd Hs]. destruct mode; simpl; [apply Hs |]. apply Hd. congruence.
  - destruct mode; [discriminate |]. apply H.
  - destruct H as [_ H]. destruct (H t). destruct mode; assumption.
Qed.

(** After a part of a reordering in which the section has begun, a rival takes the lock only if the section has ended. *)
Theorem rival_waits tr w a v t m mode e mode' :
  respects_threads thread tr w -> section_at tr a v t m mode -> In a w ->
  legal (pick tr w) e -> takes (action e) = Some (m, mode') -> thread e <> t -> mode && mode' = false ->
  exists r, v = Some r /\ In r w.
Proof.
  intros Hr [(f & Hf & Hft & _) Hh He] Ha Hl Htakes Hne Hm.
  pose proof (takes_legally _ _ _ _ _ _ Hl Htakes Hne Hm) as Hzero.
  destruct (projection thread tr w t Hr) as (k & Hk & Ek).
  assert (Hlevel : level (firstn k tr) t m mode = 0).
  { unfold level in *. rewrite value_of_thread in Hzero. rewrite Ek, <- value_of_thread in Hzero. assumption. }
  apply (Hk a f Hf Hft) in Ha. pose proof (nth_lt _ _ _ Hf) as Hlt.
  set (n := min k (length tr)).
  assert (Hn : firstn n tr = firstn k tr) by (unfold n; destruct (le_lt_dec k (length tr));
    [now rewrite Nat.min_l by lia | rewrite Nat.min_r by lia; now rewrite !firstn_all2 by lia]).
  assert (Hno : match v with Some r => r | None => length tr end <= n - 1).
  { destruct (le_lt_dec (match v with Some r => r | None => length tr end) (n - 1)) as [| Hgt]; [assumption | exfalso].
    specialize (Hh (n - 1) ltac:(lia)). replace (S (n - 1)) with n in Hh by lia. rewrite Hn in Hh. lia. }
  destruct v as [r |]; [| lia]. exists r. split; [reflexivity |].
  destruct (He r eq_refl) as (_ & g & Hg & Hgt). apply (Hk r g Hg Hgt). lia.
Qed.
