(** * Placement of checks

    The rule of "BigFoot: Static Check Placement for Dynamic Race Detection", section 2, for traces, with reads and writes told
    apart as in its section 5.  A checked trace has accesses and checks: [checks i] says which of its reads and writes are checks.
    A check *covers* an access of the same variable by the same thread if it comes before the access with no release between, or
    after it with no acquire between; it is *legitimate* for the access if it comes before it with no acquire between, or after it
    with no release between.  A check of a write covers reads and writes, a check of a read only reads; a check of a write is
    legitimate for writes, a check of a read for both.

    - [covered_races_are_checked]: if every access is covered, a race of accesses comes with a race of checks;
    - [legitimate_races_are_real]: if every check is legitimate, a race of checks comes with a race of accesses;
    - [precise_checks]: with both, the checks race exactly if the accesses do.

    A release here is whatever orders later events of other threads: releases and forks.  An acquire is whatever learns of them:
    acquires and joins.  That a thread begins and ends orders all of its events alike, so nothing is asked there.

    This is about happens-before.  In WDC, an access also orders sections, so the rule does not hold there (docs/placement.md).
    C++ twin: none of the definitions; [capture/pass] moves checks by this rule. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore.

(** ** The rule *)

Definition is_release (e : event) : Prop := match action e with Release _ | Fork _ => True | _ => False end.
Definition is_acquire (e : event) : Prop := match action e with Acquire _ | Join _ => True | _ => False end.

(** No such event of thread [t] stands between [i] and [j]. *)
Definition none_between (what : event -> Prop) (tr : trace) (t : tid) (i j : nat) : Prop :=
  forall k e, i < k < j -> nth_error tr k = Some e -> thread e = t -> ~ what e.

(** [c] and [a] are of thread [t], and what happens after [c] in other threads happens after [a] (going out), or what happens
    before [c] in other threads happens before [a] (coming in). *)
Definition out_of (tr : trace) (t : tid) (c a : nat) : Prop := c < a /\ none_between is_release tr t c a \/ a < c.
Definition into (tr : trace) (t : tid) (c a : nat) : Prop := c < a \/ a < c /\ none_between is_acquire tr t a c.

(** Before the access with no release in between, or after it with no acquire in between. *)
Definition in_covering_range (tr : trace) (t : tid) (c a : nat) : Prop :=
  c < a /\ none_between is_release tr t c a \/ a < c /\ none_between is_acquire tr t a c.

(** Before the access with no acquire in between, or after it with no release in between. *)
Definition in_legitimate_range (tr : trace) (t : tid) (c a : nat) : Prop :=
  c < a /\ none_between is_acquire tr t c a \/ a < c /\ none_between is_release tr t a c.

Definition covers (tr : trace) (c a : nat) : Prop :=
  exists e f x, nth_error tr c = Some e /\ nth_error tr a = Some f /\ thread e = thread f /\
    accesses e x /\ accesses f x /\ (writes f x -> writes e x) /\ in_covering_range tr (thread e) c a.

Definition legitimate (tr : trace) (c a : nat) : Prop :=
  exists e f x, nth_error tr c = Some e /\ nth_error tr a = Some f /\ thread e = thread f /\
    accesses e x /\ accesses f x /\ (writes e x -> writes f x) /\ in_legitimate_range tr (thread e) c a.

(** ** Order goes along *)

Section Order.

Context (tr : trace) (Hw : well_formed tr).

Lemma access_feeds e x s : accesses e x -> feeds e s -> s = ThreadSlot (thread e).
Proof. intros [H | H] [Hs | Hs]; rewrite ?H in Hs; tauto. Qed.

Lemma access_takes e x s : accesses e x -> takes e s -> s = ThreadSlot (thread e).
Proof. intros [H | H] [Hs | Hs]; rewrite ?H in Hs; tauto. Qed.

Lemma program_edge i j e f :
  i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> thread e = thread f -> edge tr i j.
Proof.
  intros Hlt He Hf Ht. split; [assumption |]. exists e, f, (ThreadSlot (thread e)). split; [assumption |]. split; [assumption |].
  split; [left; reflexivity | left; now rewrite Ht].
Qed.

(** Who learns from the thread of [a] learns of [a]: its own later events, and joins of it. *)
Lemma own_slot_reaches a k j e f g :
  nth_error tr a = Some e -> nth_error tr k = Some f -> thread f = thread e -> k < j -> nth_error tr j = Some g ->
  takes g (ThreadSlot (thread e)) -> path tr a j \/ thread g = thread e.
Proof.
  intros He Hf Ht Hlt Hg [Hs | Hs]; [injection Hs as Hs; auto |].
  destruct (action g) eqn:Eg; try contradiction; try discriminate. injection Hs as Hs. left. apply path_edge.
  assert (Ha : a < j) by (eapply (child_runs_before_join tr a j e g); eauto; congruence).
  split; [assumption |]. exists e, g, (ThreadSlot (thread e)). split; [assumption |]. split; [assumption |].
  split; [left; reflexivity | right; rewrite Eg; congruence].
Qed.

Lemma path_leaves c a e f x j g :
  nth_error tr c = Some e -> nth_error tr a = Some f -> thread e = thread f -> accesses e x -> accesses f x ->
  out_of tr (thread e) c a -> path tr c j -> nth_error tr j = Some g -> thread g <> thread e -> path tr a j.
Proof.
  intros He Hf Ht Hxe Hxf [[Hca Hno] | Hac] Hp Hg Hne.
  2: { apply path_trans with c; [| assumption]. apply path_edge. now apply (program_edge a c f e). }
  assert (Hinv : path tr a j \/ thread g = thread e); [| tauto]. clear Hne. revert g Hg.
  induction Hp as [c j (Hlt & e1 & g1 & s & He1 & Hg1 & Hfeed & Htake) | c k j Hp IH (Hlt & h & g1 & s & Hh & Hg1 & Hfeed & Htake)];
    intros g Hg.
  - assert (e1 = e) by congruence. assert (g1 = g) by congruence. subst.
    rewrite (access_feeds _ _ _ Hxe Hfeed), Ht in Htake. rewrite Ht.
    eapply (own_slot_reaches a c j f e g); eauto.
  - assert (g1 = g) by congruence. subst. destruct (IH He Hca Hno h Hh) as [Hk | Hk].
    + left. apply path_step with k; [assumption |]. split; [assumption |]. exists h, g, s. auto.
    + assert (Hck : c < k) by now apply path_lt in Hp. destruct Hfeed as [Hs | Hs].
      * rewrite Hs, Hk, Ht in Htake. rewrite Ht. eapply (own_slot_reaches a k j f h g); eauto. congruence.
      * assert (Hrel : is_release h) by (unfold is_release; destruct (action h); tauto).
        left. destruct (lt_eq_lt_dec k a) as [[Hka | ->] | Hak].
        -- exfalso. exact (Hno k h (conj Hck Hka) Hh Hk Hrel).
        -- exfalso. assert (h = f) by congruence. subst. unfold is_release in Hrel. destruct Hxf as [E | E]; rewrite E in Hrel; tauto.
        -- apply path_step with k; [apply path_edge; apply (program_edge a k f h); congruence |].
           split; [assumption |]. exists h, g, s. split; [assumption |]. split; [assumption |]. split; [right; assumption | assumption].
Qed.

(** Order from another thread that an event takes from the slot of the thread of [a] reaches [a]: the fork. *)
Lemma own_slot_learns a k e h :
  nth_error tr a = Some e -> nth_error tr k = Some h -> feeds h (ThreadSlot (thread e)) -> thread h <> thread e -> edge tr k a.
Proof.
  intros He Hh Hfeed Hne. destruct Hfeed as [Hs | Hs]; [injection Hs as Hs; congruence |].
  destruct (action h) eqn:Eh; try contradiction; try discriminate. injection Hs as <-.
  split; [eapply (child_runs_after_fork tr k a h e); eauto |]. exists h, e, (ThreadSlot (thread e)).
  split; [assumption |]. split; [assumption |]. split; [right; rewrite Eh; reflexivity | left; reflexivity].
Qed.

Lemma path_arrives i g a f x :
  nth_error tr i = Some g -> nth_error tr a = Some f -> accesses f x -> thread g <> thread f ->
  forall c e, nth_error tr c = Some e -> thread e = thread f -> a <= c ->
  (forall k h, a < k <= c -> nth_error tr k = Some h -> thread h = thread f -> ~ is_acquire h) ->
  path tr i c -> path tr i a.
Proof.
  intros Hg Hf Hxf Hne c. induction c as [c IH] using lt_wf_ind. intros e He Ht Hac Hno Hp.
  destruct (Nat.eq_dec a c) as [-> | Hneq]; [assumption |].
  assert (Hslot : forall s, takes e s -> s = ThreadSlot (thread f)).
  { intros s [Hs | Hs]; [congruence |]. exfalso. apply (Hno c e); [lia | assumption | assumption |].
    unfold is_acquire. destruct (action e); tauto. }
  inversion Hp as [i' j' Hedge | i' k j' Hik Hedge]; subst.
  - destruct Hedge as (Hlt & g1 & e1 & s & Hg1 & He1 & Hfeed & Htake). assert (g1 = g) by congruence. assert (e1 = e) by congruence. subst.
    rewrite (Hslot s Htake) in Hfeed. apply path_edge. eapply own_slot_learns; eauto.
  - destruct Hedge as (Hlt & h & e1 & s & Hh & He1 & Hfeed & Htake). assert (e1 = e) by congruence. subst.
    rewrite (Hslot s Htake) in Hfeed. destruct (Pos.eq_dec (thread h) (thread f)) as [Hth | Hth].
    + destruct (lt_eq_lt_dec k a) as [[Hka | ->] | Hak]; [| assumption |].
      * apply path_step with k; [assumption |]. now apply (program_edge k a h f).
      * apply (IH k Hlt h Hh Hth); [lia | | assumption]. intros l m Hl. apply Hno. lia.
    + apply path_step with k; [assumption |]. eapply own_slot_learns; eauto.
Qed.

Lemma path_enters c a e f x i g :
  nth_error tr c = Some e -> nth_error tr a = Some f -> thread e = thread f -> accesses e x -> accesses f x ->
  into tr (thread e) c a -> path tr i c -> nth_error tr i = Some g -> thread g <> thread e -> path tr i a.
Proof.
  intros He Hf Ht Hxe Hxf [Hca | [Hac Hno]] Hp Hg Hne.
  - apply path_step with c; [assumption |]. now apply (program_edge c a e f).
  - eapply (path_arrives i g a f x Hg Hf Hxf); [congruence | exact He | congruence | lia | | assumption].
    intros k h Hk Hh Hth. destruct (Nat.eq_dec k c) as [-> | Hkc].
    + assert (h = e) by congruence. subst. unfold is_acquire. destruct Hxe as [E | E]; rewrite E; tauto.
    + apply (Hno k h); [lia | assumption | congruence].
Qed.

(** If [a1] is reached from [c1] and [c2] leads to [a2] ... *)
Lemma order_goes_along c1 a1 c2 a2 e1 f1 e2 f2 x :
  nth_error tr c1 = Some e1 -> nth_error tr a1 = Some f1 -> thread e1 = thread f1 -> accesses e1 x -> accesses f1 x ->
  nth_error tr c2 = Some e2 -> nth_error tr a2 = Some f2 -> thread e2 = thread f2 -> accesses e2 x -> accesses f2 x ->
  thread e1 <> thread e2 -> out_of tr (thread e1) c1 a1 -> into tr (thread e2) c2 a2 -> hb tr c1 c2 -> hb tr a1 a2.
Proof.
  intros He1 Hf1 Ht1 Hx1 Hy1 He2 Hf2 Ht2 Hx2 Hy2 Hne Hout Hinto H. rewrite hb_iff_path in * by assumption.
  assert (Hmid : path tr a1 c2) by (eapply (path_leaves c1 a1 e1 f1 x c2 e2); eauto).
  eapply (path_enters c2 a2 e2 f2 x a1 f1); eauto. congruence.
Qed.

End Order.

(** ** Unordered pairs *)

(** Conflicting and unordered, whichever comes first in the trace. *)
Definition races_with (tr : trace) (i j : nat) : Prop :=
  exists e f, nth_error tr i = Some e /\ nth_error tr j = Some f /\ conflict e f /\ ~ hb tr i j /\ ~ hb tr j i.

Lemma conflict_sym e f : conflict e f -> conflict f e.
Proof. intros [Hne (x & H1 & H2 & H3)]. split; [auto |]. exists x. tauto. Qed.

Lemma races_with_is_race tr i j : well_formed tr -> (races_with tr i j <-> race tr i j \/ race tr j i).
Proof.
  intro Hw. split.
  - intros (e & f & He & Hf & Hc & H1 & H2). destruct (lt_eq_lt_dec i j) as [[H | ->] | H].
    + left. split; [assumption |]. exists e, f. auto.
    + exfalso. assert (e = f) by congruence. subst. destruct Hc as [Hc _]. congruence.
    + right. split; [assumption |]. exists f, e. auto using conflict_sym.
  - intros [(Hlt & e & f & He & Hf & Hc & Hno) | (Hlt & e & f & He & Hf & Hc & Hno)].
    + exists e, f. repeat (split; [assumption |]). intro H. apply (hb_lt _ _ _ Hw) in H. lia.
    + exists f, e. split; [assumption |]. split; [assumption |]. split; [now apply conflict_sym |]. split; [| assumption].
      intro H. apply (hb_lt _ _ _ Hw) in H. lia.
Qed.

(** Two events for two others, such that order between the former is order between the latter. *)
Lemma race_goes_along tr c1 a1 c2 a2 e1 f1 e2 f2 x :
  well_formed tr ->
  nth_error tr c1 = Some e1 -> nth_error tr a1 = Some f1 -> thread e1 = thread f1 -> accesses e1 x -> accesses f1 x ->
  nth_error tr c2 = Some e2 -> nth_error tr a2 = Some f2 -> thread e2 = thread f2 -> accesses e2 x -> accesses f2 x ->
  out_of tr (thread e1) c1 a1 -> into tr (thread e1) c1 a1 -> out_of tr (thread e2) c2 a2 -> into tr (thread e2) c2 a2 ->
  (writes f1 x -> writes e1 x) -> (writes f2 x -> writes e2 x) ->
  races_with tr a1 a2 -> races_with tr c1 c2.
Proof.
  intros Hw He1 Hf1 Ht1 Hx1 Hy1 He2 Hf2 Ht2 Hx2 Hy2 Ho1 Hi1 Ho2 Hi2 Hwr1 Hwr2 (f1' & f2' & Hf1' & Hf2' & Hc & H12 & H21).
  assert (f1' = f1) by congruence. assert (f2' = f2) by congruence. subst.
  destruct Hc as [Hne (y & Hya & Hyb & Hwr)].
  assert (y = x) as -> by (destruct Hya as [E | E], Hy1 as [E' | E']; congruence).
  exists e1, e2. split; [assumption |]. split; [assumption |]. split.
  { split; [congruence |]. exists x. split; [assumption |]. split; [assumption |]. tauto. }
  split; intro H.
  - apply H12. eapply (order_goes_along tr Hw c1 a1 c2 a2); eauto. congruence.
  - apply H21. eapply (order_goes_along tr Hw c2 a2 c1 a1); eauto. congruence.
Qed.

Lemma covering_range tr t c a : in_covering_range tr t c a -> out_of tr t c a /\ into tr t c a.
Proof. unfold in_covering_range, out_of, into. tauto. Qed.

(** A check is legitimate for an access where the access would cover the check. *)
Lemma legitimate_range tr t c a : in_legitimate_range tr t c a -> out_of tr t a c /\ into tr t a c.
Proof. unfold in_legitimate_range, out_of, into. tauto. Qed.

(** ** The theorems *)

Section Checks.

Context (tr : trace) (Hw : well_formed tr) (checks : nat -> bool).

Definition is_access (i : nat) : Prop := checks i = false /\ exists e x, nth_error tr i = Some e /\ accesses e x.
Definition is_check (i : nat) : Prop := checks i = true /\ exists e x, nth_error tr i = Some e /\ accesses e x.

Definition data_race : Prop := exists i j, is_access i /\ is_access j /\ race tr i j.
Definition check_race : Prop := exists i j, is_check i /\ is_check j /\ race tr i j.

Definition all_covered : Prop := forall a, is_access a -> exists c, is_check c /\ covers tr c a.
Definition all_legitimate : Prop := forall c, is_check c -> exists a, is_access a /\ legitimate tr c a.

Theorem covered_races_are_checked : all_covered -> data_race -> check_race.
Proof.
  intros Hcov (a1 & a2 & Ha1 & Ha2 & Hrace).
  destruct (Hcov a1 Ha1) as (c1 & Hc1 & e1 & f1 & x & He1 & Hf1 & Ht1 & Hx1 & Hy1 & Hwr1 & Hr1).
  destruct (Hcov a2 Ha2) as (c2 & Hc2 & e2 & f2 & y & He2 & Hf2 & Ht2 & Hx2 & Hy2 & Hwr2 & Hr2).
  apply covering_range in Hr1 as [Ho1 Hi1]. apply covering_range in Hr2 as [Ho2 Hi2].
  assert (y = x) as ->.
  { destruct Hrace as (_ & g1 & g2 & Hg1 & Hg2 & [_ (z & Hz1 & Hz2 & _)] & _).
    assert (g1 = f1) by congruence. assert (g2 = f2) by congruence. subst.
    destruct Hz1 as [E1 | E1], Hz2 as [E2 | E2], Hy1 as [E3 | E3], Hy2 as [E4 | E4]; congruence. }
  assert (Hcr : races_with tr c1 c2).
  { eapply (race_goes_along tr c1 a1 c2 a2); eauto. apply races_with_is_race; auto. }
  apply (races_with_is_race tr c1 c2 Hw) in Hcr as [H | H]; [exists c1, c2 | exists c2, c1]; auto.
Qed.

Theorem legitimate_races_are_real : all_legitimate -> check_race -> data_race.
Proof.
  intros Hleg (c1 & c2 & Hc1 & Hc2 & Hrace).
  destruct (Hleg c1 Hc1) as (a1 & Ha1 & e1 & f1 & x & He1 & Hf1 & Ht1 & Hx1 & Hy1 & Hwr1 & Hr1).
  destruct (Hleg c2 Hc2) as (a2 & Ha2 & e2 & f2 & y & He2 & Hf2 & Ht2 & Hx2 & Hy2 & Hwr2 & Hr2).
  rewrite Ht1 in Hr1. rewrite Ht2 in Hr2.
  apply legitimate_range in Hr1 as [Ho1 Hi1]. apply legitimate_range in Hr2 as [Ho2 Hi2].
  assert (y = x) as ->.
  { destruct Hrace as (_ & g1 & g2 & Hg1 & Hg2 & [_ (z & Hz1 & Hz2 & _)] & _).
    assert (g1 = e1) by congruence. assert (g2 = e2) by congruence. subst.
    destruct Hz1 as [E1 | E1], Hz2 as [E2 | E2], Hx1 as [E3 | E3], Hx2 as [E4 | E4]; congruence. }
  assert (Hcr : races_with tr a1 a2).
  { eapply (race_goes_along tr a1 c1 a2 c2); eauto. apply races_with_is_race; auto. }
  apply (races_with_is_race tr a1 a2 Hw) in Hcr as [H | H]; [exists a1, a2 | exists a2, a1]; auto.
Qed.

Theorem precise_checks : all_covered -> all_legitimate -> (check_race <-> data_race).
Proof. intros Hc Hl. split; [now apply legitimate_races_are_real | now apply covered_races_are_checked]. Qed.

End Checks.

(** ** Not vacuous: one check for two accesses of a section, before them, and one after an access *)

Section Example.

Local Notation "t : a" := (Event t a) (at level 60).

Let tr : trace := [1 : Write 1; 1 : Read 1; 1 : Write 1; 2 : Write 1; 2 : Write 1]%positive.
Let checks (i : nat) : bool := match i with 0 | 4 => true | _ => false end.

Local Ltac here := unfold accesses, writes; simpl; tauto || congruence.
Local Ltac range := intros ? ? ?; lia.

Example these_are_precise : all_covered tr checks /\ all_legitimate tr checks /\ data_race tr checks.
Proof.
  split; [| split].
  - intros a [Hk (e & x & He & _)]. destruct a as [| [| [| [| [| a]]]]]; try discriminate; [| | | destruct a; discriminate].
    + exists 0. split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
      do 2 eexists. exists 1%positive. split; [reflexivity |]. split; [reflexivity |]. split; [reflexivity |].
      split; [here |]. split; [here |]. split; [here |]. left. split; [lia | range].
    + exists 0. split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
      do 2 eexists. exists 1%positive. split; [reflexivity |]. split; [reflexivity |]. split; [reflexivity |].
      split; [here |]. split; [here |]. split; [here |]. left. split; [lia |].
      intros k f Hk' Hf _. assert (k = 1) as -> by lia. injection Hf as <-. exact (fun H => H).
    + exists 4. split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
      do 2 eexists. exists 1%positive. split; [reflexivity |]. split; [reflexivity |]. split; [reflexivity |].
      split; [here |]. split; [here |]. split; [here |]. right. split; [lia | range].
  - intros c [Hk (e & x & He & _)]. destruct c as [| [| [| [| [| c]]]]]; try discriminate.
    + exists 2. split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
      do 2 eexists. exists 1%positive. split; [reflexivity |]. split; [reflexivity |]. split; [reflexivity |].
      split; [here |]. split; [here |]. split; [here |]. left. split; [lia |].
      intros k f Hk' Hf _. assert (k = 1) as -> by lia. injection Hf as <-. exact (fun H => H).
    + exists 3. split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
      do 2 eexists. exists 1%positive. split; [reflexivity |]. split; [reflexivity |]. split; [reflexivity |].
      split; [here |]. split; [here |]. split; [here |]. right. split; [lia | range].
  - exists 2, 3. split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
    split; [split; [reflexivity | eexists; exists 1%positive; split; [reflexivity | here]] |].
    split; [lia |]. do 2 eexists. split; [reflexivity |]. split; [reflexivity |]. split.
    { split; [discriminate |]. exists 1%positive. here. }
    intro H. apply hb_iff_path in H.
    + inversion H as [i j Hedge | i k j Hpath Hedge]; subst; destruct Hedge as (Hlt & e & f & s & He & Hf & H1 & H2).
      * injection He as <-. injection Hf as <-. destruct H1 as [-> | []]. destruct H2 as [E | []]. discriminate.
      * apply path_lt in Hpath. lia.
    + intros [| [| [| [| [| i]]]]] e He; try (destruct i; discriminate); injection He as <-;
        (split; [intros (g & Hg & Ha); simpl in Hg; intuition (subst; discriminate) | exact I]).
Qed.

End Example.
