(** * Access histories over any relation

    SmartTrack's levels Unopt and FTO differ in what they keep of the accesses of a variable: Unopt a time per thread, for reads
    and for writes; FTO the epoch of the last write, and the epoch of the last access or, while reads are unordered, a time per
    thread.  That FTO finds the same races does not depend on the relation.  Here only the clocks of the relation matter: each
    access comes with the clock of its thread, and clocks are *supplied* if every clock that contains the time of an access
    contains the whole clock of that access.  This holds of the clocks of every transitive relation that contains program order.
    - [unopt_exact]: Unopt allows an access exactly if it races with no earlier one;
    - [fto_exact]: so does FTO;
    - [read_same_epoch], [write_same_epoch]: skipping accesses of the same epoch changes nothing;
    - [same_first_race]: so both run through the same histories, and stop at the same access.

    A history is of one variable, the last access first: variables do not influence each other here.  The rules are those of
    Algorithms 1 and 2 of SmartTrack for accesses; a race is found where the rule's check fails.

    The effect of rule (a) on the clocks at an access is part of the supplied clocks.  That Unopt, FTO and SmartTrack compute
    them is not proved (README.md).

    C++ twin: [Unopt] and [Fto] in analysis/levels, without their reports after the first race. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Trace.

(** ** Accesses with clocks *)

Definition times := tid -> nat.

Record access := Access { who : tid; wrote : bool; now : times }.

Definition own (a : access) : nat := now a (who a).
Definition below (c d : times) : Prop := forall u, c u <= d u.

(** The relation orders [a] before [b], which comes later. *)
Definition ordered (a b : access) : Prop := own a <= now b (who a).

Definition races (h : list access) (b : access) : Prop :=
  exists a, In a h /\ who a <> who b /\ (wrote a = true \/ wrote b = true) /\ ~ ordered a b.

Fixpoint supplied (h : list access) : Prop :=
  match h with
  | [] => True
  | b :: rest =>
      supplied rest /\ 0 < own b /\
      forall a, In a rest -> who a = who b \/ ordered a b -> below (now a) (now b)
  end.

(** No access races with an earlier one. *)
Fixpoint race_free (h : list access) : Prop :=
  match h with
  | [] => True
  | b :: rest => race_free rest /\ ~ races rest b
  end.

Lemma below_refl c : below c c.
Proof. intro u. lia. Qed.

Lemma below_trans c d e : below c d -> below d e -> below c e.
Proof. intros H1 H2 u. specialize (H1 u). specialize (H2 u). lia. Qed.

Lemma below_ordered a b : below (now a) (now b) -> ordered a b.
Proof. intro H. apply H. Qed.

(** An access that is ordered before [b], or one of the same thread, orders before [b] all that is below it. *)
Lemma ordered_through h a b x :
  supplied (b :: h) -> In a h -> who a = who b \/ ordered a b -> below (now x) (now a) -> ordered x b.
Proof. intros (_ & _ & Hs) Ha Ho Hx. apply below_ordered. eapply below_trans; [exact Hx | now apply Hs]. Qed.

Lemma unordered_races h a b :
  ~ races h b -> In a h -> wrote a = true \/ wrote b = true -> who a = who b \/ ordered a b.
Proof.
  intros Hno Ha Hw. destruct (Pos.eq_dec (who a) (who b)) as [| Hne]; [auto | right].
  destruct (le_lt_dec (own a) (now b (who a))) as [H | H]; [exact H | exfalso].
  apply Hno. exists a. split; [assumption |]. split; [assumption |]. split; [assumption |]. unfold ordered. lia.
Qed.

Lemma set_at (f : times) t n v : (if Pos.eqb v t then n else f v) = n /\ v = t \/ (if Pos.eqb v t then n else f v) = f v /\ v <> t.
Proof. destruct (Pos.eqb_spec v t); auto. Qed.

(** ** Unopt *)

Record unopt := Unopt { reads : times; writes : times }.

Definition unopt_allows (s : unopt) (b : access) : Prop :=
  below (writes s) (now b) /\ (wrote b = true -> below (reads s) (now b)).

Definition at_time (f : times) (t : tid) (n : nat) : times := fun v => if Pos.eqb v t then n else f v.

Definition unopt_next (s : unopt) (b : access) : unopt :=
  if wrote b then Unopt (reads s) (at_time (writes s) (who b) (own b))
  else Unopt (at_time (reads s) (who b) (own b)) (writes s).

Inductive unopt_runs : list access -> unopt -> Prop :=
| unopt_start : unopt_runs [] (Unopt (fun _ => 0) (fun _ => 0))
| unopt_goes_on h s b : unopt_runs h s -> unopt_allows s b -> unopt_runs (b :: h) (unopt_next s b).

(** The times are those of each thread's last such access. *)
Definition keeps (h : list access) (kind : bool) (f : times) : Prop :=
  (forall v, 0 < f v -> exists a, In a h /\ who a = v /\ wrote a = kind /\ own a = f v) /\
  (forall a, In a h -> wrote a = kind -> own a <= f (who a)).

Lemma keeps_more h kind f b :
  supplied (b :: h) -> keeps h kind f ->
  keeps (b :: h) kind (if Bool.eqb (wrote b) kind then at_time f (who b) (own b) else f).
Proof.
  intros (_ & Hpos & Hs) [H1 H2]. destruct (Bool.eqb (wrote b) kind) eqn:E; split.
  - apply Bool.eqb_prop in E. intros v Hv. unfold at_time in *. destruct (Pos.eqb_spec v (who b)) as [Ev | Hne].
    + exists b. simpl. auto.
    + destruct (H1 v Hv) as (a & Ha & Hrest). exists a. simpl. auto.
  - apply Bool.eqb_prop in E. intros a [-> | Ha] Hk; unfold at_time.
    + now rewrite Pos.eqb_refl.
    + destruct (Pos.eqb_spec (who a) (who b)) as [Et | Hne]; [| auto].
      specialize (Hs a Ha (or_introl Et) (who b)). unfold own. now rewrite Et.
  - intros v Hv. destruct (H1 v Hv) as (a & Ha & Hrest). exists a. simpl. auto.
  - intros a [-> | Ha] Hk; [| auto]. rewrite Hk, Bool.eqb_reflx in E. discriminate.
Qed.

Lemma unopt_keeps h s : unopt_runs h s -> supplied h -> keeps h false (reads s) /\ keeps h true (writes s).
Proof.
  induction 1 as [| h s b _ IH _]; intro Hs.
  - split; split; simpl; [intros v Hv; lia | intros a [] | intros v Hv; lia | intros a []].
  - destruct (IH (proj1 Hs)) as [Hr Hw]. pose proof (keeps_more h false _ b Hs Hr) as Hr'.
    pose proof (keeps_more h true _ b Hs Hw) as Hw'. unfold unopt_next. destruct (wrote b); simpl in *; auto.
Qed.

(** All accesses of a kind that race with [b] if unordered are ordered before it exactly if the times are below its clock. *)
Lemma keeps_ordered h kind f b :
  supplied (b :: h) -> keeps h kind f ->
  (below f (now b) <-> forall a, In a h -> wrote a = kind -> who a = who b \/ ordered a b).
Proof.
  intros Hs [H1 H2]. split.
  - intros Hb a Ha Hk. right. unfold ordered. specialize (H2 a Ha Hk). specialize (Hb (who a)). lia.
  - intros H v. destruct (Nat.eq_dec (f v) 0) as [-> | Hne]; [lia |].
    destruct (H1 v ltac:(lia)) as (a & Ha & <- & Hk & <-).
    exact (ordered_through h a b a Hs Ha (H a Ha Hk) (below_refl _)).
Qed.

Theorem unopt_exact h s b : unopt_runs h s -> supplied (b :: h) -> (unopt_allows s b <-> ~ races h b).
Proof.
  intros Hrun Hs. destruct (unopt_keeps h s Hrun (proj1 Hs)) as [Hr Hw]. unfold unopt_allows.
  rewrite (keeps_ordered h true _ b Hs Hw), (keeps_ordered h false _ b Hs Hr). split.
  - intros [H1 H2] (a & Ha & Hne & Hk & Hno). destruct (wrote a) eqn:Ea.
    + destruct (H1 a Ha Ea); contradiction.
    + destruct Hk as [Hk | Hk]; [discriminate |]. destruct (H2 Hk a Ha Ea); contradiction.
  - intro Hno. split.
    + intros a Ha Hk. apply (unordered_races h); auto.
    + intros Hb a Ha Hk. apply (unordered_races h); auto.
Qed.

(** ** FTO *)

Inductive last_access := Never | Last (t : tid) (n : nat) | Shared (f : times).

Record fto := Fto { last_write : option (tid * nat); last : last_access }.

Definition write_ordered (s : fto) (b : access) : Prop :=
  match last_write s with Some (u, n) => n <= now b u | None => True end.

(** The cases are the rules: Owned and Exclusive; Share; Shared Owned and Shared. *)
Definition fto_allows (s : fto) (b : access) : Prop :=
  match last s with
  | Never => True
  | Last u n => u = who b \/ n <= now b u \/ (wrote b = false /\ write_ordered s b)
  | Shared f =>
      if wrote b then forall u, u <> who b -> f u <= now b u
      else 0 < f (who b) \/ write_ordered s b
  end.

Definition fto_next (s : fto) (b : access) : fto :=
  if wrote b then Fto (Some (who b, own b)) (Last (who b) (own b))
  else
    Fto (last_write s)
      match last s with
      | Never => Last (who b) (own b)
      | Last u n =>
          if Pos.eqb u (who b) || Nat.leb n (now b u) then Last (who b) (own b)
          else Shared (at_time (at_time (fun _ => 0) u n) (who b) (own b))
      | Shared f => Shared (at_time f (who b) (own b))
      end.

Inductive fto_runs : list access -> fto -> Prop :=
| fto_start : fto_runs [] (Fto None Never)
| fto_goes_on h s b : fto_runs h s -> fto_allows s b -> fto_runs (b :: h) (fto_next s b).

(** [a] is an access of [h] at that epoch, and after all that [which] says. *)
Definition stands_for (h : list access) (a : access) (t : tid) (n : nat) (which : access -> Prop) : Prop :=
  In a h /\ who a = t /\ own a = n /\ forall x, In x h -> which x -> below (now x) (now a).

Definition is_write (a : access) : Prop := wrote a = true.

Record represents (h : list access) (s : fto) : Prop := {
  represents_write :
    match last_write s with
    | None => forall x, In x h -> wrote x = false
    | Some (u, n) => exists w, wrote w = true /\ stands_for h w u n is_write
    end;
  represents_last :
    match last s with
    | Never => h = []
    | Last u n => exists a, stands_for h a u n (fun _ => True)
    | Shared f =>
        (forall v, 0 < f v -> exists a, stands_for h a v (f v) is_write) /\
        (forall x, In x h -> exists a, In a h /\ 0 < f (who a) /\ own a = f (who a) /\ below (now x) (now a)) /\
        (exists u v, u <> v /\ 0 < f u /\ 0 < f v)
    end
}.

Lemma write_ordered_iff h s b :
  supplied (b :: h) -> represents h s ->
  (write_ordered s b <-> forall x, In x h -> wrote x = true -> who x = who b \/ ordered x b).
Proof.
  intros Hs [Hw _]. unfold write_ordered. destruct (last_write s) as [[u n] |].
  - destruct Hw as (w & Hww & Hin & <- & <- & Hall). split.
    + intros H x Hx Hxw. right. exact (ordered_through h w b x Hs Hin (or_intror H) (Hall x Hx Hxw)).
    + intro H. exact (ordered_through h w b w Hs Hin (H w Hin Hww) (below_refl _)).
  - split; [| auto]. intros _ x Hx Hxw. rewrite (Hw x Hx) in Hxw. discriminate.
Qed.

Lemma all_ordered h b : (forall x, In x h -> wrote x = true \/ wrote b = true -> who x = who b \/ ordered x b) -> ~ races h b.
Proof. intros H (a & Ha & Hne & Hk & Hno). destruct (H a Ha Hk); contradiction. Qed.

Lemma allows_iff h s b : supplied (b :: h) -> represents h s -> (fto_allows s b <-> ~ races h b).
Proof.
  intros Hs Hrep. pose proof (write_ordered_iff h s b Hs Hrep) as Hwrite. destruct Hrep as [_ Hl]. unfold fto_allows.
  destruct (last s) as [| u n | f].
  - subst h. split; [intros _ (a & [] & _) | auto].
  - destruct Hl as (a & Ha & <- & <- & Hall). split.
    + intros [H | [H | [Hr H]]]; apply all_ordered; intros x Hx Hk.
      * right. eapply (ordered_through h a b x); eauto.
      * right. eapply (ordered_through h a b x); eauto.
      * rewrite Hwrite in H. apply H; [assumption |]. destruct Hk as [Hk | Hk]; [assumption | congruence].
    + intro Hno. destruct (wrote b) eqn:Eb.
      * destruct (unordered_races h a b Hno Ha (or_intror Eb)) as [H | H]; [left; exact H | right; left; exact H].
      * right. right. split; [reflexivity |]. apply Hwrite. intros x Hx Hk. apply (unordered_races h); auto.
  - destruct Hl as (Hentry & Hall & _). destruct (wrote b) eqn:Eb.
    + split.
      * intro H. apply all_ordered. intros x Hx _. right. destruct (Hall x Hx) as (a & Ha & Hpos & Hown & Hbelow).
        eapply (ordered_through h a b x); eauto. destruct (Pos.eq_dec (who a) (who b)) as [| Hne]; [auto | right].
        unfold ordered. rewrite Hown. auto.
      * intros Hno u Hne. destruct (Nat.eq_dec (f u) 0) as [-> | Hpos]; [lia |].
        destruct (Hentry u ltac:(lia)) as (a & Ha & <- & <- & _).
        destruct (unordered_races h a b Hno Ha (or_intror Eb)) as [H | H]; [congruence | exact H].
    + split.
      * intros [H | H]; apply all_ordered; intros x Hx Hk; (destruct Hk as [Hk | Hk]; [| congruence]).
        -- destruct (Hentry (who b) H) as (a & Ha & Hwho & _ & Hw). right.
           eapply (ordered_through h a b x); eauto.
        -- rewrite Hwrite in H. auto.
      * intro Hno. right. apply Hwrite. intros x Hx Hk. apply (unordered_races h); auto.
Qed.

Lemma stands_for_more h b a t n which :
  stands_for h a t n which -> ~ which b -> stands_for (b :: h) a t n which.
Proof. intros (Ha & H1 & H2 & H3) Hno. split; [simpl; auto |]. split; [assumption |]. split; [assumption |]. intros x [<- | Hx]; [contradiction | auto]. Qed.

Lemma next_represents h s b : supplied (b :: h) -> represents h s -> fto_allows s b -> represents (b :: h) (fto_next s b).
Proof.
  intros Hs Hrep Hallow. pose proof (proj1 (allows_iff h s b Hs Hrep) Hallow) as Hno.
  pose proof (write_ordered_iff h s b Hs Hrep) as Hwrite.
  pose proof Hs as (_ & Hpos & Hsup). destruct Hrep as [Hw Hl]. unfold fto_next. destruct (wrote b) eqn:Eb.
  - assert (Hall : forall x, In x (b :: h) -> below (now x) (now b)).
    { intros x [<- | Hx]; [apply below_refl |]. apply Hsup; [assumption |]. apply (unordered_races h); auto. }
    split; simpl.
    + exists b. split; [assumption |]. split; [simpl; auto |]. split; [reflexivity |]. split; [reflexivity |]. auto.
    + exists b. split; [simpl; auto |]. split; [reflexivity |]. split; [reflexivity |]. auto.
  - assert (Hwrites : forall x, In x h -> wrote x = true -> below (now x) (now b)).
    { intros x Hx Hk. apply Hsup; [assumption |]. apply (unordered_races h); auto. }
    assert (Hb : stands_for (b :: h) b (who b) (own b) is_write).
    { split; [simpl; auto |]. split; [reflexivity |]. split; [reflexivity |]. intros x [<- | Hx] Hk; [apply below_refl | auto]. }
    split; simpl.
    + destruct (last_write s) as [[u n] |].
      * destruct Hw as (w & Hww & Hst). exists w. split; [assumption |]. apply stands_for_more; [assumption |]. unfold is_write. congruence.
      * intros x [<- | Hx]; auto.
    + destruct (last s) as [| u n | f] eqn:El.
      * subst h. exists b. split; [simpl; auto |]. split; [reflexivity |]. split; [reflexivity |].
        intros x [<- | []] _. apply below_refl.
      * destruct Hl as (a & Ha & <- & <- & Hall).
        destruct (Pos.eqb (who a) (who b) || Nat.leb (own a) (now b (who a))) eqn:E.
        -- exists b. split; [simpl; auto |]. split; [reflexivity |]. split; [reflexivity |].
           intros x [<- | Hx] _; [apply below_refl |]. apply below_trans with (now a); [auto |]. apply Hsup; [assumption |].
           apply orb_true_iff in E as [E | E]; [left; now apply Pos.eqb_eq | right; now apply Nat.leb_le].
        -- apply orb_false_iff in E as [E _]. apply Pos.eqb_neq in E.
           assert (Hpa : 0 < own a).
           { clear - Ha Hs. destruct Hs as (Hs & _). induction h as [| c h IH]; [destruct Ha |].
             destruct Hs as (Hs & Hc & _). destruct Ha as [<- | Ha]; auto. }
           split; [| split].
           ++ intros v Hv. unfold at_time in *. destruct (Pos.eqb_spec v (who b)) as [Ev | Hne]; [exists b; rewrite Ev; assumption |].
              destruct (Pos.eqb_spec v (who a)) as [Ev | Hne']; [rewrite Ev | lia]. exists a.
              apply stands_for_more; [| unfold is_write; congruence]. split; [assumption |]. split; [reflexivity |].
              split; [reflexivity |]. auto.
           ++ intros x [<- | Hx].
              ** exists b. unfold at_time. rewrite Pos.eqb_refl. split; [simpl; auto |]. auto using below_refl.
              ** exists a. unfold at_time. rewrite (proj2 (Pos.eqb_neq (who a) (who b)) E), Pos.eqb_refl.
                 split; [simpl; auto |]. auto.
           ++ exists (who a), (who b). unfold at_time.
              rewrite (proj2 (Pos.eqb_neq (who a) (who b)) E), !Pos.eqb_refl. auto.
      * destruct Hl as (Hentry & Hall & u & v & Huv & Hu & Hv). split; [| split].
        -- clear u v Huv Hu Hv. intros v Hv. unfold at_time in *. destruct (Pos.eqb_spec v (who b)) as [Ev | Hne]; [exists b; rewrite Ev; assumption |].
           destruct (Hentry v Hv) as (a & Ha). exists a. apply stands_for_more; [assumption | unfold is_write; congruence].
        -- intros x [<- | Hx].
           ++ exists b. unfold at_time. rewrite Pos.eqb_refl. split; [simpl; auto |]. auto using below_refl.
           ++ destruct (Hall x Hx) as (a & Ha & Hpa & Hown & Hbelow). destruct (Pos.eq_dec (who a) (who b)) as [E | E].
              ** exists b. unfold at_time. rewrite Pos.eqb_refl. split; [simpl; auto |]. split; [assumption |]. split; [reflexivity |].
                 apply below_trans with (now a); [assumption |]. apply Hsup; auto.
              ** exists a. unfold at_time. rewrite (proj2 (Pos.eqb_neq (who a) (who b)) E). simpl. auto 6.
        -- exists u, v. unfold at_time. split; [assumption |].
           split; [destruct (Pos.eqb u (who b)) | destruct (Pos.eqb v (who b))]; assumption.
Qed.

Lemma fto_represents h s : fto_runs h s -> supplied h -> represents h s.
Proof.
  induction 1 as [| h s b _ IH Hallow]; intro Hs.
  - split; simpl; [intros x [] | reflexivity].
  - apply next_represents; [assumption | apply IH; apply Hs | assumption].
Qed.

Theorem fto_exact h s b : fto_runs h s -> supplied (b :: h) -> (fto_allows s b <-> ~ races h b).
Proof. intros Hrun Hs. apply allows_iff; [assumption |]. apply fto_represents; [assumption | apply Hs]. Qed.

(** *** The same epoch

    The C++ skips an access if its thread has made the same access in the same epoch.  That changes nothing; for writes this needs
    that a thread's time advances before other threads learn of it. *)

Definition left_behind (h : list access) (b : access) : Prop :=
  forall a c, In a h -> In c h -> who a = who b -> who c <> who b -> ordered a c -> own a < own b.

Theorem read_same_epoch s b :
  wrote b = false ->
  (last s = Last (who b) (own b) -> fto_allows s b /\ fto_next s b = s) /\
  (forall f, last s = Shared f -> f (who b) = own b -> 0 < own b ->
     fto_allows s b /\ fto_next s b = Fto (last_write s) (Shared (at_time f (who b) (own b))) /\
     forall v, at_time f (who b) (own b) v = f v).
Proof.
  intro Hr. unfold fto_allows, fto_next. rewrite Hr. split.
  - intro H. destruct s as [lw l]. simpl in *. rewrite H, Pos.eqb_refl. auto.
  - intros f H Hf Hpos. rewrite H. split; [left; lia |]. split; [reflexivity |]. intro v. unfold at_time.
    destruct (Pos.eqb_spec v (who b)) as [-> |]; auto.
Qed.

Theorem write_same_epoch h s b :
  fto_runs h s -> supplied (b :: h) -> left_behind h b -> wrote b = true -> last_write s = Some (who b, own b) ->
  fto_allows s b /\ fto_next s b = s.
Proof.
  intros Hrun Hs Hleft Hb Hlw. pose proof (fto_represents h s Hrun (proj1 Hs)) as [Hw Hl]. rewrite Hlw in Hw.
  destruct Hw as (w & Hww & Hin & Hwho & Hown & _).
  (* no other thread knows the write *)
  assert (Hnobody : forall a, In a h -> below (now w) (now a) -> who a = who b).
  { intros a Ha Hbelow. destruct (Pos.eq_dec (who a) (who b)) as [| Hne]; [assumption | exfalso].
    assert (own w < own b) by (apply (Hleft w a); auto; now apply below_ordered). lia. }
  assert (Hlast : last s = Last (who b) (own b)).
  { destruct (last s) as [| u n | f].
    - subst h. destruct Hin.
    - destruct Hl as (a & Ha & <- & <- & Hall). pose proof (Hall w Hin I) as Hbelow.
      pose proof (Hnobody a Ha Hbelow) as E. f_equal; [assumption |].
      pose proof (Hbelow (who b)) as H1. destruct Hs as (_ & _ & Hsup). pose proof (Hsup a Ha (or_introl E) (who b)) as H2.
      unfold own in *. rewrite Hwho in Hown. rewrite E. lia.
    - exfalso. destruct Hl as (Hentry & _ & u & v & Huv & Hu & Hv).
      destruct (Hentry u Hu) as (a & Ha & <- & _ & Ha'). destruct (Hentry v Hv) as (c & Hc & <- & _ & Hc').
      apply Huv. rewrite (Hnobody a Ha (Ha' w Hin Hww)), (Hnobody c Hc (Hc' w Hin Hww)). reflexivity. }
  unfold fto_allows, fto_next. rewrite Hlast, Hb. split; [auto |]. destruct s as [lw l]. simpl in *. now rewrite Hlw, Hlast.
Qed.

(** ** The same first race *)

Theorem unopt_runs_iff h : supplied h -> ((exists s, unopt_runs h s) <-> race_free h).
Proof.
  induction h as [| b h IH]; intro Hs; [split; [simpl; auto | eexists; constructor] |]. specialize (IH (proj1 Hs)). split.
  - intros (s & H). inversion H as [| h' s' b' Hrun Hallow]; subst. split; [apply IH; eauto |]. now apply (unopt_exact h s' b).
  - intros [Hf Hno]. apply IH in Hf as (s & Hrun). exists (unopt_next s b). constructor; [assumption |]. now apply (unopt_exact h s b).
Qed.

Theorem fto_runs_iff h : supplied h -> ((exists s, fto_runs h s) <-> race_free h).
Proof.
  induction h as [| b h IH]; intro Hs; [split; [simpl; auto | eexists; constructor] |]. specialize (IH (proj1 Hs)). split.
  - intros (s & H). inversion H as [| h' s' b' Hrun Hallow]; subst. split; [apply IH; eauto |]. now apply (fto_exact h s' b).
  - intros [Hf Hno]. apply IH in Hf as (s & Hrun). exists (fto_next s b). constructor; [assumption |]. now apply (fto_exact h s b).
Qed.

Corollary same_first_race h s s' b :
  unopt_runs h s -> fto_runs h s' -> supplied (b :: h) -> (unopt_allows s b <-> fto_allows s' b).
Proof. intros Hu Hf Hs. rewrite (unopt_exact h s b Hu Hs), (fto_exact h s' b Hf Hs). reflexivity. Qed.

(** ** Not vacuous *)

Section Example.

Let clock (a b : nat) : times := fun t => match t with xH => a | xO xH => b | _ => 0 end.
Let first : access := Access 1%positive true (clock 1 0).
Let second : access := Access 2%positive false (clock 1 1).  (* knows of the first *)
Let third : access := Access 1%positive true (clock 2 0).  (* does not know of the second *)

Example a_history : supplied [third; second; first] /\ race_free [second; first] /\ races [second; first] third.
Proof.
  assert (Hbelow : below (clock 1 0) (clock 1 1) /\ below (clock 1 0) (clock 2 0))
    by (split; intros [t | [t | t |] |]; simpl; lia).
  unfold ordered, own in *. split; [| split].
  - split; [split; [split; [exact I | split; [unfold own; simpl; lia | intros a []]] |] |].
    + split; [unfold own; simpl; lia |]. intros a [<- | []] _. apply Hbelow.
    + split; [unfold own; simpl; lia |]. intros a [<- | [<- | []]] H; [| apply Hbelow].
      destruct H as [H | H]; [discriminate | unfold ordered, own in H; simpl in H; lia].
  - split; [split; [exact I | intros (a & [] & _)] |]. intros (a & [<- | []] & _ & _ & Hno). apply Hno. unfold ordered, own. simpl. lia.
  - exists second. split; [simpl; auto |]. split; [discriminate |]. split; [auto |]. unfold ordered, own. simpl. lia.
Qed.

End Example.
