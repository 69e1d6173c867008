(** * DC is complete for CA reorderings

    Vindicator, Definition 4.1 and appendix B: the relation DC (doesn't-commute), and the proof that it misses no race that
    some CA reordering shows.
    - [dc]: the smallest transitive relation that contains TO, the end of a section that TO leaves while it is open
      ([dc_open_section], which the paper does not have), and rules (a) and (b).  Rule (a) also counts a second section
      that the trace does not end, as an online analysis does.  That orders more, so completeness says more.
    - [ca_reordering]: what a correct reordering is when every pair of conflicting accesses keeps its order.
    - [dc_cannot_be_reordered]: if i is DC-before j, then every CA reordering that executes j executes i before.
    - [dc_complete]: two conflicting accesses that are next to each other in some CA reordering are a DC race.
    - [wdc_complete]: the same for WDC, which is DC without rule (b).
    - [dc_within_hb]: DC orders no more than HB, so every HB race is a DC race.

    C++ twin: [Dc], [Wdc], and the CA notion of the judges. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore Reordering.

Definition conflicting (tr : trace) (i j : nat) : Prop :=
  exists e f, nth_error tr i = Some e /\ nth_error tr j = Some f /\ conflict e f.

(** ** The relation *)

(** C++ twin: [Dc], and DC of the relation oracle. *)
Inductive dc (tr : trace) : nat -> nat -> Prop :=
| dc_thread_order i j : thread_order tr i j -> dc tr i j
| dc_open_section m t1 a1 r1 t2 a2 e2 :
    ends tr t1 m a1 r1 -> begins tr t2 m a2 -> e2 = a2 \/ in_section tr t2 m a2 e2 -> t1 <> t2 -> r1 < a2 ->
    thread_order tr a1 e2 ->
    dc tr r1 e2
| dc_rule_a m t1 a1 r1 e1 t2 a2 e2 :
    ends tr t1 m a1 r1 -> in_section tr t1 m a1 e1 ->
    in_section tr t2 m a2 e2 -> r1 < a2 ->
    conflicting tr e1 e2 ->
    dc tr r1 e2
| dc_rule_b m t1 a1 r1 t2 a2 r2 :
    ends tr t1 m a1 r1 -> ends tr t2 m a2 r2 -> r1 < a2 ->
    dc tr a1 r2 ->
    dc tr r1 r2
| dc_trans i j k : dc tr i j -> dc tr j k -> dc tr i k.

(** C++ twin: [Wdc], and WDC of the relation oracle. *)
Inductive wdc (tr : trace) : nat -> nat -> Prop :=
| wdc_thread_order i j : thread_order tr i j -> wdc tr i j
| wdc_open_section m t1 a1 r1 t2 a2 e2 :
    ends tr t1 m a1 r1 -> begins tr t2 m a2 -> e2 = a2 \/ in_section tr t2 m a2 e2 -> t1 <> t2 -> r1 < a2 ->
    thread_order tr a1 e2 ->
    wdc tr r1 e2
| wdc_rule_a m t1 a1 r1 e1 t2 a2 e2 :
    ends tr t1 m a1 r1 -> in_section tr t1 m a1 e1 ->
    in_section tr t2 m a2 e2 -> r1 < a2 ->
    conflicting tr e1 e2 ->
    wdc tr r1 e2
| wdc_trans i j k : wdc tr i j -> wdc tr j k -> wdc tr i k.

Definition dc_race (tr : trace) (i j : nat) : Prop := i < j /\ conflicting tr i j /\ ~ dc tr i j.
Definition wdc_race (tr : trace) (i j : nat) : Prop := i < j /\ conflicting tr i j /\ ~ wdc tr i j.

(** ** CA reorderings *)

(** C++ twin: the reordering search, with [Notion::Ca]. *)
Record ca_reordering (tr : trace) (w : list nat) : Prop := {
  ca_once : NoDup w;
  ca_of_the_trace : forall i, In i w -> i < length tr;
  (* program order, fork and join: what is before an executed event is executed, and before it *)
  ca_thread_order : forall i j, In j w -> thread_order tr i j -> before w i j;
  (* locks *)
  ca_well_formed : well_formed (pick tr w);
  (* conflicting accesses keep their order, and none is executed whose earlier partner is not *)
  ca_conflicts : forall i j, In j w -> i < j -> conflicting tr i j -> before w i j
}.

(** Two conflicting accesses are next to each other in some CA reordering. *)
Definition ca_predictable (tr : trace) (i j : nat) : Prop :=
  conflicting tr i j /\ exists p q, ca_reordering tr (p ++ i :: j :: q).

Lemma ca_respects_threads tr w : ca_reordering tr w -> respects_threads thread tr w.
Proof.
  intros [Hn Hv Ht _ _]. split; [assumption | assumption |].
  intros i j e f Hj Hlt He Hf Hth. apply Ht; [assumption |]. eapply to_program; eassumption.
Qed.

(** The trace itself is one. *)
Lemma trace_is_ca_reordering tr : well_formed tr -> ca_reordering tr (seq 0 (length tr)).
Proof.
  intro Hw.
  assert (Hb : forall i j, i < j -> In j (seq 0 (length tr)) -> before (seq 0 (length tr)) i j).
  { intros i j Hlt Hj. apply in_seq in Hj. exists (seq 0 j), (seq (S j) (length tr - S j)). split; [| apply in_seq; lia].
    replace (length tr) with (j + S (length tr - S j)) at 1 by lia. rewrite seq_app. reflexivity. }
  split.
  - apply seq_NoDup.
  - intros i Hi. apply in_seq in Hi. lia.
  - intros i j Hj H. apply Hb; [| assumption]. eapply hb_lt; [exact Hw | apply hb_thread_order, H].
  - now rewrite pick_seq, firstn_all.
  - intros i j Hj Hlt _. auto.
Qed.

(** ** Nothing can be reordered against DC *)

Lemma in_section_bound tr t m a r i : ends tr t m a r -> in_section tr t m a i -> i <= r.
Proof.
  intros ((_ & (Har & _) & _) & _ & Hend) (_ & [_ Hkeep] & _).
  destruct (le_lt_dec i r) as [| Hlt]; [assumption | exfalso]. specialize (Hkeep (S r)). lia.
Qed.

Lemma in_section_order tr t m a i :
  in_section tr t m a i -> thread_order tr a i.
Proof. intros ([Ha _] & [Hlt _] & e & He & Ht). eapply to_program; try eassumption. simpl. congruence. Qed.

Lemma in_section_before_end tr t m a r i :
  ends tr t m a r -> in_section tr t m a i -> i = r \/ thread_order tr i r.
Proof.
  intros He Hi. pose proof (in_section_bound _ _ _ _ _ _ He Hi) as Hle.
  destruct (Nat.eq_dec i r) as [-> | Hne]; [auto | right].
  destruct He as (_ & Hr & _). destruct Hi as (_ & _ & e & Hi & Ht).
  eapply to_program; try eassumption; lia.
Qed.

Theorem dc_cannot_be_reordered tr w i j : ca_reordering tr w -> dc tr i j -> In j w -> before w i j.
Proof.
  intros Hca. pose proof Hca as [Hn Hv Hto Hw Hcf].
  pose proof (ca_respects_threads _ _ Hca) as Hr.
  induction 1 as [i j H | m t1 a1 r1 t2 a2 e2 Hend Hbeg2 Hin2 Hne Hlt Ho12
                 | m t1 a1 r1 e1 t2 a2 e2 Hend Hin1 Hin2 Hlt Hc
                 | m t1 a1 r1 t2 a2 r2 Hend1 Hend2 Hlt _ IH | i j k _ IH1 _ IH2]; intro Hj.
  - auto.
  - (* A section that thread order leaves while it is open. Both cannot be open at [e2]. *)
    assert (Hb12 : before w a1 e2) by (apply Hto; assumption).
    assert (Ha2w : In a2 w).
    { destruct Hin2 as [-> | Hin2]; [assumption |].
      eapply before_in_l. apply Hto; [exact Hj | eapply in_section_order; exact Hin2]. }
    pose proof (proj1 Hend) as ([Ha1 Hd1] & _ & _). pose proof Hbeg2 as [Ha2 Hd2].
    destruct (before_total w a1 a2) as [Hb | Hb];
      [eapply before_in_l; eassumption | assumption | intros ->; congruence | |].
    + destruct Hb as (p & q & Ew & Hin).
      destruct (section_is_exclusive tr w p q t1 m a1 t2 a2 Hr Hw Ew (conj Ha1 Hd1) Ha2 Hne Hin) as (r & Her & Hrp).
      assert (r = r1) as ->.
      { pose proof (in_section_bound _ _ _ _ _ _ Hend (proj1 Her)).
        pose proof (in_section_bound _ _ _ _ _ _ Her (proj1 Hend)). lia. }
      assert (Hr1 : before w r1 a2) by (exists p, q; auto).
      destruct Hin2 as [-> | Hin2]; [assumption |].
      eapply before_trans; [assumption | exact Hr1 |]. apply Hto; [assumption | eapply in_section_order; eassumption].
    + exfalso. destruct Hin2 as [-> | Hin2].
      * apply (before_irrefl w a1 Hn). eapply before_trans; eassumption.
      * destruct Hb as (p & q & Ew & Hin).
        destruct (section_is_exclusive tr w p q t2 m a2 t1 a1 Hr Hw Ew (conj Ha2 Hd2) Ha1) as (r & Her & Hrp); auto.
        assert (Hra1 : before w r a1) by (exists p, q; auto).
        assert (Hrw : In r w) by (eapply before_in_l; eassumption).
        apply (before_irrefl w a1 Hn). eapply before_trans; [assumption | exact Hb12 |].
        destruct (in_section_before_end _ _ _ _ _ _ Her Hin2) as [-> | Ho]; [assumption |].
        eapply before_trans; [assumption | apply Hto; eassumption | assumption].
  - (* Rule (a).  The accesses keep their order; so do the sections. *)
    assert (He12 : e1 < e2).
    { pose proof (in_section_bound _ _ _ _ _ _ Hend Hin1). destruct Hin2 as (_ & [? _] & _). lia. }
    assert (Hb12 : before w e1 e2) by (apply Hcf; assumption).
    assert (Hba1 : before w a1 e1)
      by (apply Hto; [eapply before_in_l; eassumption | eapply in_section_order; eassumption]).
    assert (Hba2 : before w a2 e2) by (apply Hto; [assumption | eapply in_section_order; eassumption]).
    assert (Hne : t1 <> t2).
    { destruct Hc as (e & f & He & Hf & Hd & _). destruct Hin1 as (_ & _ & e' & He' & Ht1).
      destruct Hin2 as (_ & _ & f' & Hf' & Ht2). congruence. }
    pose proof Hin1 as ([Ha1 Hd1] & _ & _). pose proof Hin2 as ([Ha2 Hd2] & _ & _).
    destruct (before_total w a1 a2) as [Hb | Hb];
      [eapply before_in_l; eassumption | eapply before_in_l; eassumption | intros ->; congruence | |].
    + destruct Hb as (p & q & Ew & Hin).
      destruct (section_is_exclusive tr w p q t1 m a1 t2 a2 Hr Hw Ew (conj Ha1 Hd1) Ha2 Hne Hin) as (r & Her & Hrp).
      assert (r = r1) as ->.
      { pose proof (in_section_bound _ _ _ _ _ _ Hend (proj1 Her)).
        pose proof (in_section_bound _ _ _ _ _ _ Her (proj1 Hend)). lia. }
      eapply before_trans; [assumption | | exact Hba2]. exists p, q. auto.
    + exfalso. destruct Hb as (p & q & Ew & Hin).
      destruct (section_is_exclusive tr w p q t2 m a2 t1 a1 Hr Hw Ew (conj Ha2 Hd2) Ha1) as (r & Her & Hrp); auto.
      assert (Hra1 : before w r a1) by (exists p, q; auto).
      assert (Hrw : In r w) by (eapply before_in_l; eassumption).
      apply (before_irrefl w e1 Hn).
      destruct (in_section_before_end _ _ _ _ _ _ Her Hin2) as [-> | Ho].
      * eapply before_trans; [assumption | exact Hb12 |]. eapply before_trans; eassumption.
      * eapply before_trans; [assumption | exact Hb12 |].
        eapply before_trans; [assumption | apply Hto; eassumption |]. eapply before_trans; eassumption.
  - (* Rule (b). *)
    specialize (IH Hj).
    pose proof (proj1 Hend2) as Hin2. pose proof Hin2 as ([Ha2 Hd2] & _ & _).
    pose proof (proj1 Hend1) as ([Ha1 Hd1] & _ & _).
    destruct (Pos.eq_dec t1 t2) as [-> | Hne].
    + apply Hto; [assumption |]. destruct Hend1 as (_ & Hr1 & _). destruct Hend2 as (_ & Hr2 & _).
      destruct Hin2 as (_ & [? _] & _). eapply to_program; try eassumption; lia || reflexivity.
    + assert (Hba2 : before w a2 r2) by (apply Hto; [assumption | eapply in_section_order; eassumption]).
      destruct (before_total w a1 a2) as [Hb | Hb];
        [eapply before_in_l; eassumption | eapply before_in_l; eassumption | intros ->; congruence | |].
      * destruct Hb as (p & q & Ew & Hin).
        destruct (section_is_exclusive tr w p q t1 m a1 t2 a2 Hr Hw Ew (conj Ha1 Hd1) Ha2 Hne Hin) as (r & Her & Hrp).
        assert (r = r1) as ->.
        { pose proof (in_section_bound _ _ _ _ _ _ Hend1 (proj1 Her)).
          pose proof (in_section_bound _ _ _ _ _ _ Her (proj1 Hend1)). lia. }
        eapply before_trans; [assumption | | exact Hba2]. exists p, q. auto.
      * exfalso. destruct Hb as (p & q & Ew & Hin).
        destruct (section_is_exclusive tr w p q t2 m a2 t1 a1 Hr Hw Ew (conj Ha2 Hd2) Ha1) as (r & Her & Hrp); auto.
        assert (r = r2) as ->.
        { pose proof (in_section_bound _ _ _ _ _ _ Hend2 (proj1 Her)).
          pose proof (in_section_bound _ _ _ _ _ _ Her (proj1 Hend2)). lia. }
        apply (before_irrefl w a1 Hn). eapply before_trans; [assumption | exact IH |]. exists p, q. auto.
  - specialize (IH2 Hj). eapply before_trans; [assumption | apply IH1; eapply before_in_l; eassumption | exact IH2].
Qed.

(** ** Completeness *)

(** TO between two accesses of different threads passes through another event. *)
Lemma thread_order_between tr i j :
  thread_order tr i j -> conflicting tr i j -> exists k, thread_order tr i k /\ thread_order tr k j.
Proof.
  intros H (e & f & He & Hf & Hne & x & Hax & Hbx & _). unfold accesses in *.
  destruct H as [i j a b _ Ha Hb Ht | i j a u Ha Hact _ | i j b u _ Hb Hact | i j a b u _ Ha Hact _ _ _ | i k j H1 H2];
    try (exfalso; intuition congruence). eauto.
Qed.

Lemma dc_between tr i j : dc tr i j -> conflicting tr i j -> exists k, dc tr i k /\ dc tr k j.
Proof.
  intros H Hc. pose proof Hc as (e & f & He & Hf & _ & x & Hax & _). unfold accesses in Hax.
  destruct H as [i j H | m t1 a1 r1 t2 a2 e2 Hend _ _ _ _ _ | m t1 a1 r1 e1 t2 a2 e2 Hend _ _ _ _ | m t1 a1 r1 t2 a2 r2 Hend _ _ _ | i k j H1 H2].
  - destruct (thread_order_between _ _ _ H Hc) as (k & H1 & H2). exists k. split; apply dc_thread_order; assumption.
  - exfalso. destruct Hend as (_ & Hr & _). rewrite Hr in He. injection He as <-. simpl in Hax. intuition discriminate.
  - exfalso. destruct Hend as (_ & Hr & _). rewrite Hr in He. injection He as <-. simpl in Hax. intuition discriminate.
  - exfalso. destruct Hend as (_ & Hr & _). rewrite Hr in He. injection He as <-. simpl in Hax. intuition discriminate.
  - eauto.
Qed.

Lemma next_to_each_other (w p q : list nat) i j k :
  NoDup w -> w = p ++ i :: j :: q -> before w i k -> before w k j -> False.
Proof.
  intros Hn Ew Hik (p' & q' & Ew' & Hk).
  assert (p' = p ++ [i]) as ->.
  { symmetry. apply (split_unique j _ q _ q').
    - rewrite <- app_assoc. simpl. now rewrite <- Ew.
    - rewrite <- app_assoc. simpl. congruence. }
  apply in_app_or in Hk as [Hk | [-> | []]].
  - apply (before_irrefl w i Hn). eapply before_trans; [assumption | exact Hik |]. exists p, (j :: q). auto.
  - exact (before_irrefl w k Hn Hik).
Qed.

Lemma conflicting_sym tr i j : conflicting tr i j -> conflicting tr j i.
Proof.
  intros (e & f & He & Hf & Hne & x & H1 & H2 & H3). exists f, e. repeat split; auto. exists x. tauto.
Qed.

Theorem dc_complete tr i j : ca_predictable tr i j -> dc_race tr i j.
Proof.
  intros (Hc & p & q & Hca). pose proof (ca_once _ _ Hca) as Hn.
  assert (Hi : In i (p ++ i :: j :: q)) by (apply in_or_app; simpl; auto).
  assert (Hj : In j (p ++ i :: j :: q)) by (apply in_or_app; simpl; auto).
  assert (Hij : before (p ++ i :: j :: q) i j).
  { exists (p ++ [i]), q. rewrite <- app_assoc. split; [reflexivity |]. apply in_or_app. simpl. auto. }
  split; [| split; [assumption |]].
  - destruct (lt_eq_lt_dec i j) as [[Hlt | ->] | Hlt]; [assumption | |].
    + exfalso. exact (before_irrefl _ _ Hn Hij).
    + exfalso. apply (before_irrefl _ i Hn). eapply before_trans; [assumption | exact Hij |].
      apply (ca_conflicts _ _ Hca); [assumption | assumption | apply conflicting_sym, Hc].
  - intro H. destruct (dc_between _ _ _ H Hc) as (k & H1 & H2).
    assert (Hkj : before (p ++ i :: j :: q) k j) by (eapply dc_cannot_be_reordered; eassumption).
    eapply next_to_each_other; [exact Hn | reflexivity | | exact Hkj].
    eapply dc_cannot_be_reordered; try eassumption. eapply before_in_l. eassumption.
Qed.

(** ** The neighbours of DC *)

Lemma wdc_within_dc tr i j : wdc tr i j -> dc tr i j.
Proof. induction 1; eauto using dc. Qed.

Theorem wdc_complete tr i j : ca_predictable tr i j -> wdc_race tr i j.
Proof.
  intro H. destruct (dc_complete _ _ _ H) as (Hlt & Hc & Hno). split; [assumption | split; [assumption |]].
  intro Hw. apply Hno, wdc_within_dc, Hw.
Qed.

Theorem dc_within_hb tr i j : dc tr i j -> hb tr i j.
Proof.
  assert (Hsec : forall t1 m a1 r1 t2 a2 e2, ends tr t1 m a1 r1 -> in_section tr t2 m a2 e2 -> r1 < a2 -> hb tr r1 e2).
  { intros t1 m a1 r1 t2 a2 e2 (_ & Hr & _) Hin Hlt. apply hb_trans with (j := a2).
    - pose proof Hin as ([Ha _] & _). eapply hb_lock; try eassumption; reflexivity.
    - apply hb_thread_order. eapply in_section_order. eassumption. }
  induction 1 as [i j H | m t1 a1 r1 t2 a2 e2 Hend Hbeg Hin _ Hlt _ | m t1 a1 r1 e1 t2 a2 e2 Hend _ Hin Hlt _ | m t1 a1 r1 t2 a2 r2 Hend1 Hend2 Hlt _ _ | i j k _ IH1 _ IH2].
  - now apply hb_thread_order.
  - destruct Hin as [-> | Hin]; [| eapply Hsec; eassumption].
    destruct Hend as (_ & Hr & _). destruct Hbeg as [Ha _]. eapply hb_lock; try eassumption; reflexivity.
  - eapply Hsec; eassumption.
  - eapply Hsec; [eassumption | apply Hend2 | assumption].
  - eapply hb_trans; eassumption.
Qed.

Corollary hb_races_are_dc_races tr i j : race tr i j -> dc_race tr i j.
Proof.
  intros (Hlt & e & f & He & Hf & Hc & Hno). split; [assumption |]. split; [exists e, f; auto |].
  intro H. apply Hno, dc_within_hb, H.
Qed.
