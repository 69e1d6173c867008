(** * A detector that sees only the checks

    [kept_of keep tr]: the trace without the reads and writes that [keep] leaves out.  Dropping them changes no order among
    the kept events, because order does not travel through reads and writes:
    - [kept_races]: the races of the kept trace are the races of the trace among kept events.

    So a checked trace (Placement.v) holds two traces: that of the program, without the checks, and that of the detector, without
    the accesses.
    - [detector_sees_the_races]: if every access is covered and every check legitimate, the detector's trace has a race exactly if
      the program's has one;
    - [vector_clock_on_checks]: and VectorClock runs through the former exactly if the latter has none.

    C++ twin: none. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore Placement ClockOrder.
From Omen Require VectorClock.

Section Kept.

Context (keep : nat -> bool).

Fixpoint kept_from (n : nat) (tr : trace) : trace :=
  match tr with
  | [] => []
  | e :: rest => if keep n then e :: kept_from (S n) rest else kept_from (S n) rest
  end.

Definition kept_of (tr : trace) : trace := kept_from 0 tr.

(** How many events before [i] stay: the new index of event [i]. *)
Fixpoint new_index (i : nat) : nat :=
  match i with
  | 0 => 0
  | S k => (if keep k then 1 else 0) + new_index k
  end.

Lemma kept_from_snoc n tr e : kept_from n (tr ++ [e]) = kept_from n tr ++ (if keep (n + length tr) then [e] else []).
Proof.
  revert n. induction tr as [| a tr IH]; intro n; simpl.
  - rewrite Nat.add_0_r. now destruct (keep n).
  - rewrite IH. replace (n + S (length tr)) with (S n + length tr) by lia. now destruct (keep n).
Qed.

Lemma kept_of_snoc tr e : kept_of (tr ++ [e]) = kept_of tr ++ (if keep (length tr) then [e] else []).
Proof. unfold kept_of. now rewrite kept_from_snoc. Qed.

Lemma kept_length tr : length (kept_of tr) = new_index (length tr).
Proof.
  induction tr as [| e tr IH] using rev_ind; [reflexivity |]. rewrite kept_of_snoc, !app_length, IH. simpl.
  rewrite Nat.add_1_r. simpl. destruct (keep (length tr)); simpl; lia.
Qed.

Lemma new_index_le i j : i <= j -> new_index i <= new_index j.
Proof. induction 1 as [| j _ IH]; [lia |]. simpl. lia. Qed.

Lemma new_index_lt i j : i < j -> keep i = true -> new_index i < new_index j.
Proof. intros H Hk. pose proof (new_index_le (S i) j H) as Hle. simpl in Hle. rewrite Hk in Hle. lia. Qed.

Lemma new_index_lt_iff i j : keep i = true -> keep j = true -> (new_index i < new_index j <-> i < j).
Proof.
  intros Hi Hj. split; [| intro; now apply new_index_lt]. intro H. destruct (le_lt_dec j i) as [Hle |]; [| assumption].
  apply new_index_le in Hle. lia.
Qed.

Lemma nth_kept tr i e : nth_error tr i = Some e -> keep i = true -> nth_error (kept_of tr) (new_index i) = Some e.
Proof.
  induction tr as [| a tr IH] using rev_ind; intros H Hk; [destruct i; discriminate |]. rewrite kept_of_snoc.
  apply nth_snoc_cases in H as [[Hlt H] | [-> ->]].
  - specialize (IH H Hk). rewrite nth_error_app1; [assumption |]. apply nth_error_Some. congruence.
  - rewrite Hk. rewrite nth_error_app2 by (rewrite kept_length; lia). now rewrite kept_length, Nat.sub_diag.
Qed.

Lemma nth_kept_inv tr n e :
  nth_error (kept_of tr) n = Some e -> exists i, nth_error tr i = Some e /\ keep i = true /\ n = new_index i.
Proof.
  induction tr as [| a tr IH] using rev_ind; intro H; [destruct n; discriminate |]. rewrite kept_of_snoc in H.
  destruct (keep (length tr)) eqn:Ek.
  - apply nth_snoc_cases in H as [[_ H] | [-> ->]].
    + destruct (IH H) as (i & Hi & Hk & En). exists i. auto using nth_snoc_old.
    + exists (length tr). rewrite kept_length. auto using nth_snoc_last.
  - rewrite app_nil_r in H. destruct (IH H) as (i & Hi & Hk & En). exists i. auto using nth_snoc_old.
Qed.

(** Only reads and writes are left out. *)
Definition keeps_synchronisation (tr : trace) : Prop :=
  forall i e, nth_error tr i = Some e -> keep i = false -> exists x, accesses e x.

Lemma keeps_prefix tr e : keeps_synchronisation (tr ++ [e]) -> keeps_synchronisation tr.
Proof. intros H i f Hi. apply H. now apply nth_snoc_old. Qed.

Lemma kept_in tr e : In e (kept_of tr) -> In e tr.
Proof. intro H. apply In_nth_error in H as [n H]. apply nth_kept_inv in H as (i & Hi & _). eapply nth_error_In. eassumption. Qed.

Lemma holder_kept tr m : keeps_synchronisation tr -> holder (kept_of tr) m = holder tr m.
Proof.
  induction tr as [| e tr IH] using rev_ind; intro H; [reflexivity |]. rewrite kept_of_snoc, holder_snoc.
  pose proof (IH (keeps_prefix _ _ H)) as IH'. destruct (keep (length tr)) eqn:Ek.
  - rewrite holder_snoc. now rewrite IH'.
  - rewrite app_nil_r, IH'. destruct (H (length tr) e (nth_snoc_last tr e) Ek) as (x & [E | E]);
      unfold hold_step; now rewrite E.
Qed.

Lemma kept_well_formed tr : well_formed tr -> keeps_synchronisation tr -> well_formed (kept_of tr).
Proof.
  induction tr as [| e tr IH] using rev_ind; intros Hw Hk; [apply well_formed_nil |].
  apply well_formed_snoc in Hw as [Hw Hl]. pose proof (keeps_prefix _ _ Hk) as Hk'. rewrite kept_of_snoc.
  destruct (keep (length tr)); [| rewrite app_nil_r; auto]. apply well_formed_snoc. split; [auto |].
  assert (Hjoined : forall u, ~ joined tr u -> ~ joined (kept_of tr) u)
    by (intros u H (f & Hf & Hu); apply H; exists f; auto using kept_in).
  assert (Hforked : forall u, ~ forked tr u -> ~ forked (kept_of tr) u)
    by (intros u H (f & Hf & Hu); apply H; exists f; auto using kept_in).
  assert (Hran : forall u, ~ ran tr u -> ~ ran (kept_of tr) u)
    by (intros u H (f & Hf & Hu); apply H; exists f; auto using kept_in).
  destruct Hl as [Hj Hl]. split; [auto |].
  destruct (action e); rewrite ?holder_kept by assumption; try assumption. destruct Hl as (H1 & H2 & H3 & H4). auto.
Qed.

(** ** Order among kept events *)

Section Order.

Context (tr : trace) (Hkeep : keeps_synchronisation tr).

Lemma edge_kept i j : keep i = true -> keep j = true -> (edge (kept_of tr) (new_index i) (new_index j) <-> edge tr i j).
Proof.
  intros Hi Hj. split.
  - intros (Hlt & e & f & s & He & Hf & H1 & H2).
    destruct (nth_kept_inv _ _ _ He) as (i' & He' & Hi' & Ei). destruct (nth_kept_inv _ _ _ Hf) as (j' & Hf' & Hj' & Ej).
    assert (Hinj : forall a b, keep a = true -> keep b = true -> new_index a = new_index b -> a = b).
    { intros a b Ha Hb E. destruct (lt_eq_lt_dec a b) as [[H | ->] | H]; [| reflexivity |];
        apply new_index_lt in H; try assumption; lia. }
    apply Hinj in Ei; [| assumption | assumption]. apply Hinj in Ej; [| assumption | assumption]. subst i' j'.
    split; [now apply new_index_lt_iff |]. exists e, f, s. auto.
  - intros (Hlt & e & f & s & He & Hf & H1 & H2). split; [now apply new_index_lt_iff |].
    exists e, f, s. auto using nth_kept.
Qed.

(** Where a path comes to an event that is left out, an event that stays has fed the slot of that event's thread. *)
Lemma path_kept i j f :
  keep i = true -> path tr i j -> nth_error tr j = Some f ->
  if keep j then path (kept_of tr) (new_index i) (new_index j)
  else exists k g, keep k = true /\ (k = i \/ path (kept_of tr) (new_index i) (new_index k)) /\ k < j /\
         nth_error tr k = Some g /\ feeds g (ThreadSlot (thread f)).
Proof.
  intros Hi Hp. revert f. induction Hp as [i j Hedge | i k j Hp IH Hedge]; intros f Hf.
  - destruct (keep j) eqn:Ej; [apply path_edge; now apply edge_kept |].
    destruct Hedge as (Hlt & e & f' & s & He & Hf' & H1 & H2). assert (f' = f) by congruence. subst.
    destruct (Hkeep j f Hf Ej) as (x & Hx). rewrite (access_takes f x s Hx H2) in H1. exists i, e. auto 6.
  - destruct Hedge as (Hlt & e & f' & s & He & Hf' & H1 & H2). assert (f' = f) by congruence. subst.
    specialize (IH Hi e He).
    (* the last event that stays before [j] on the path, and the slot through which order comes to [j] *)
    assert (Hlast : exists l g, keep l = true /\ (l = i \/ path (kept_of tr) (new_index i) (new_index l)) /\ l < j /\
              nth_error tr l = Some g /\ feeds g s).
    { destruct (keep k) eqn:Ek; [exists k, e; auto 6 |].
      destruct IH as (l & g & Hl & Hil & Hlk & Hg & Hfeed). destruct (Hkeep k e He Ek) as (x & Hx).
      rewrite <- (access_feeds e x s Hx H1) in Hfeed. exists l, g. split; [assumption |]. split; [assumption |].
      split; [lia |]. auto. }
    destruct Hlast as (l & g & Hl & Hil & Hlj & Hg & Hfeed). destruct (keep j) eqn:Ej.
    + assert (Hlast : edge (kept_of tr) (new_index l) (new_index j)).
      { apply edge_kept; [assumption | assumption |]. split; [assumption |]. exists g, f, s. auto. }
      destruct Hil as [-> | Hil]; [now apply path_edge | eapply path_step; eassumption].
    + destruct (Hkeep j f Hf Ej) as (x & Hx). rewrite (access_takes f x s Hx H2) in Hfeed. exists l, g. auto 6.
Qed.

Lemma path_of_kept n m : path (kept_of tr) n m ->
  forall i j, keep i = true -> keep j = true -> n = new_index i -> m = new_index j -> path tr i j.
Proof.
  induction 1 as [n m Hedge | n k m _ IH Hedge]; intros i j Hi Hj -> ->.
  - apply path_edge. now apply edge_kept.
  - destruct Hedge as (Hlt & e & f & s & He & Hrest). destruct (nth_kept_inv _ _ _ He) as (l & Hl & Hkl & ->).
    apply path_step with l; [now apply IH |]. apply (edge_kept l j Hkl Hj). split; [assumption |]. eauto.
Qed.

Context (Hw : well_formed tr).

Lemma hb_kept i j f :
  keep i = true -> keep j = true -> nth_error tr j = Some f -> (hb (kept_of tr) (new_index i) (new_index j) <-> hb tr i j).
Proof.
  intros Hi Hj Hf. rewrite !hb_iff_path by auto using kept_well_formed. split.
  - intro H. eapply path_of_kept; eauto.
  - intro H. pose proof (path_kept i j f Hi H Hf) as Hp. now rewrite Hj in Hp.
Qed.

Theorem kept_races i j : keep i = true -> keep j = true -> (race (kept_of tr) (new_index i) (new_index j) <-> race tr i j).
Proof.
  intros Hi Hj. split.
  - intros (Hlt & e & f & He & Hf & Hc & Hno). apply (new_index_lt_iff i j Hi Hj) in Hlt.
    assert (Hsame : forall a h, keep a = true -> nth_error (kept_of tr) (new_index a) = Some h -> nth_error tr a = Some h).
    { intros a h Ha H. destruct (nth_kept_inv _ _ _ H) as (b & Hb & Hkb & E).
      destruct (lt_eq_lt_dec a b) as [[Hab | ->] | Hab]; [| assumption |]; apply new_index_lt in Hab; try assumption; lia. }
    apply Hsame in He; [| assumption]. apply Hsame in Hf; [| assumption].
    split; [assumption |]. exists e, f. repeat (split; [assumption |]). now rewrite <- (hb_kept i j f Hi Hj Hf).
  - intros (Hlt & e & f & He & Hf & Hc & Hno). split; [now apply new_index_lt_iff |]. exists e, f.
    split; [now apply nth_kept |]. split; [now apply nth_kept |]. split; [assumption |]. now rewrite (hb_kept i j f Hi Hj Hf).
Qed.

Corollary kept_race_free : race_free (kept_of tr) <-> forall i j, keep i = true -> keep j = true -> ~ race tr i j.
Proof.
  split.
  - intros H i j Hi Hj Hr. apply (H (new_index j)). exists (new_index i). now apply kept_races.
  - intros H m (n & Hr). pose proof Hr as (_ & e & f & He & Hf & _).
    destruct (nth_kept_inv _ _ _ He) as (i & _ & Hi & ->). destruct (nth_kept_inv _ _ _ Hf) as (j & _ & Hj & ->).
    apply (H i j Hi Hj). now apply kept_races.
Qed.

End Order.

End Kept.

(** ** A checked trace *)

Section Checked.

Context (tr : trace) (Hw : well_formed tr) (checks : nat -> bool).

Definition is_read_or_write (e : event) : bool := match action e with Read _ | Write _ => true | _ => false end.

Definition synchronises (i : nat) : bool := match nth_error tr i with Some e => negb (is_read_or_write e) | None => true end.

(** Without the checks; without the accesses. *)
Definition trace_of_program : trace := kept_of (fun i => synchronises i || negb (checks i)) tr.
Definition trace_of_detector : trace := kept_of (fun i => synchronises i || checks i) tr.

Lemma synchronisation_stays other : keeps_synchronisation (fun i => synchronises i || other i) tr.
Proof.
  intros i e He H. apply orb_false_iff in H as [H _]. unfold synchronises in H. rewrite He in H. apply negb_false_iff in H.
  unfold is_read_or_write in H. unfold accesses. destruct (action e) as [x | x | | | | | |]; try discriminate; exists x; auto.
Qed.

Lemma race_of_accesses i j : race tr i j -> synchronises i = false /\ synchronises j = false.
Proof.
  intros (_ & e & f & He & Hf & [_ (x & Hx & Hy & _)] & _). unfold synchronises. rewrite He, Hf. unfold is_read_or_write.
  destruct Hx as [E | E], Hy as [E' | E']; rewrite E, E'; auto.
Qed.

Lemma access_if_not i e : nth_error tr i = Some e -> synchronises i = false -> exists e x, nth_error tr i = Some e /\ accesses e x.
Proof.
  intros He H. unfold synchronises in H. rewrite He in H. apply negb_false_iff in H. unfold is_read_or_write in H.
  exists e. unfold accesses. destruct (action e) as [x | x | | | | | |]; try discriminate; exists x; auto.
Qed.

Lemma program_race_free : race_free trace_of_program <-> ~ data_race tr checks.
Proof.
  unfold trace_of_program. rewrite (kept_race_free _ tr) by auto using (synchronisation_stays (fun i => negb (checks i))). split.
  - intros H (i & j & [Hi _] & [Hj _] & Hr). apply (H i j); [| | assumption]; apply orb_true_iff; right; now rewrite ?Hi, ?Hj.
  - intros H i j Hi Hj Hr. destruct (race_of_accesses i j Hr) as [Si Sj]. rewrite Si in Hi. rewrite Sj in Hj. simpl in *.
    apply negb_true_iff in Hi, Hj. apply H. pose proof Hr as (_ & e & f & He & Hf & _).
    exists i, j. split; [split; [assumption | eapply access_if_not; eassumption] |].
    split; [split; [assumption | eapply access_if_not; eassumption] | assumption].
Qed.

Lemma detector_race_free : race_free trace_of_detector <-> ~ check_race tr checks.
Proof.
  unfold trace_of_detector. rewrite (kept_race_free _ tr) by auto using (synchronisation_stays checks). split.
  - intros H (i & j & [Hi _] & [Hj _] & Hr). apply (H i j); [| | assumption]; apply orb_true_iff; right; assumption.
  - intros H i j Hi Hj Hr. destruct (race_of_accesses i j Hr) as [Si Sj]. rewrite Si in Hi. rewrite Sj in Hj. simpl in *.
    apply H. pose proof Hr as (_ & e & f & He & Hf & _).
    exists i, j. split; [split; [assumption | eapply access_if_not; eassumption] |].
    split; [split; [assumption | eapply access_if_not; eassumption] | assumption].
Qed.

Theorem detector_sees_the_races :
  all_covered tr checks -> all_legitimate tr checks -> (race_free trace_of_detector <-> race_free trace_of_program).
Proof. intros Hc Hl. rewrite detector_race_free, program_race_free, (precise_checks tr Hw checks Hc Hl). reflexivity. Qed.

Theorem vector_clock_on_checks :
  all_covered tr checks -> all_legitimate tr checks ->
  ((exists v, VectorClock.steps LeaveChild VectorClock.initial trace_of_detector v) <-> race_free trace_of_program).
Proof.
  intros Hc Hl. rewrite <- (detector_sees_the_races Hc Hl). apply VectorClock.vector_clock_sound_and_complete.
  apply kept_well_formed; [assumption |]. apply (synchronisation_stays checks).
Qed.

End Checked.
