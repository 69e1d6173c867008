(** * Reorderings

    A reordering of a trace executes some of its events, in another order.  It is given by the indices of the events, as a
    witness is.  This file has the common part of both notions of correct reordering:
    - [before w i j]: in [w], event [i] is executed before event [j]; a strict order;
    - [respects_threads]: [w] holds a prefix of each thread, in program order;
    - [projection]: after any part of [w], each thread has done exactly what it had done after some part of the trace;
    - sections: what a thread does from an outermost acquire to its release; [section_is_exclusive]: in a reordering that
      keeps the rules of locks, a lock is not acquired in the middle of another thread's section on it.

    C++ twin: a witness is a vector of event indices. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace HappensBefore.

(** ** Order in a list *)

Definition before (w : list nat) (i j : nat) : Prop := exists p q, w = p ++ j :: q /\ In i p.

Lemma split_unique (j : nat) p q p' q' : NoDup (p ++ j :: q) -> p ++ j :: q = p' ++ j :: q' -> p = p'.
Proof.
  revert p'. induction p as [| a p IH]; intros [| b p'] Hn E; simpl in *; auto.
  - injection E as -> ->. inversion Hn as [| x l Hx _]; subst. exfalso. apply Hx, in_or_app. simpl. auto.
  - injection E as <- <-. inversion Hn as [| x l Hx _]; subst. exfalso. apply Hx, in_or_app. simpl. auto.
  - injection E as <- E. f_equal. inversion Hn; subst. now apply IH.
Qed.

Lemma before_in_l w i j : before w i j -> In i w.
Proof. intros (p & q & -> & H). apply in_or_app. auto. Qed.

Lemma before_in_r w i j : before w i j -> In j w.
Proof. intros (p & q & -> & H). apply in_or_app. simpl. auto. Qed.

Lemma before_irrefl w i : NoDup w -> ~ before w i i.
Proof. intros Hn (p & q & -> & H). apply NoDup_remove_2 in Hn. apply Hn, in_or_app. auto. Qed.

Lemma before_trans w i j k : NoDup w -> before w i j -> before w j k -> before w i k.
Proof.
  intros Hn (p & q & E & Hi) (p' & q' & E' & Hj). apply in_split in Hj as (a & b & ->).
  exists (a ++ j :: b), q'. split; [assumption |]. apply in_or_app. left.
  rewrite E in Hn. rewrite <- app_assoc in E'. simpl in E'. rewrite E in E'.
  now rewrite <- (split_unique _ _ _ _ _ Hn E').
Qed.

Lemma before_total w i j : In i w -> In j w -> i <> j -> before w i j \/ before w j i.
Proof.
  intros Hi Hj Hne. apply in_split in Hi as (p & q & ->). apply in_app_or in Hj as [Hj | [Hj | Hj]].
  - right. exists p, q. auto.
  - contradiction.
  - left. apply in_split in Hj as (a & b & ->). exists (p ++ i :: a), b. rewrite <- app_assoc.
    split; [reflexivity |]. apply in_or_app. simpl. auto.
Qed.

Lemma nodup_prefix (p q : list nat) : NoDup (p ++ q) -> NoDup p.
Proof.
  induction p as [| a p IH]; simpl; intro H; [constructor |]. inversion H as [| x l Hx Hl]; subst.
  constructor; [intro Hin; apply Hx, in_or_app; auto | auto].
Qed.

Lemma nodup_snoc (p : list nat) a : NoDup p -> ~ In a p -> NoDup (p ++ [a]).
Proof.
  intros Hn Ha. apply NoDup_Add with (a := a) (l := p); [| auto].
  rewrite <- (app_nil_r p) at 1. apply Add_app.
Qed.

Lemma before_prefix p q i j : NoDup (p ++ q) -> In j p -> before (p ++ q) i j -> before p i j.
Proof.
  intros Hn Hj (a & b & E & Hi). apply in_split in Hj as (c & d & ->). exists c, d. split; [reflexivity |].
  rewrite <- app_assoc in E, Hn. simpl in E, Hn. now rewrite (split_unique _ _ _ _ _ Hn E).
Qed.

Lemma before_of_prefix p q i j : before p i j -> before (p ++ q) i j.
Proof. intros (a & b & -> & H). exists a, (b ++ q). rewrite <- app_assoc. auto. Qed.

(** ** Prefixes of threads *)

Section Project.

(** Events of any kind that have a thread. *)
Context {A : Type} (thread_of : A -> tid).

(** The events with these indices. *)
Definition pick (l : list A) (w : list nat) : list A :=
  flat_map (fun i => match nth_error l i with Some e => [e] | None => [] end) w.

Definition of_thread (t : tid) (l : list A) : list A := filter (fun e => Pos.eqb (thread_of e) t) l.

Record respects_threads (l : list A) (w : list nat) : Prop := {
  executed_once : NoDup w;
  of_the_trace : forall i, In i w -> i < length l;
  in_program_order : forall i j e f, In j w -> i < j -> nth_error l i = Some e -> nth_error l j = Some f ->
    thread_of e = thread_of f -> before w i j
}.

Lemma pick_app l p q : pick l (p ++ q) = pick l p ++ pick l q.
Proof. apply flat_map_app. Qed.

Lemma pick_cons l i w e : nth_error l i = Some e -> pick l (i :: w) = e :: pick l w.
Proof. intro H. unfold pick. simpl. now rewrite H. Qed.

Lemma of_thread_app t p q : of_thread t (p ++ q) = of_thread t p ++ of_thread t q.
Proof. apply filter_app. Qed.

Lemma respects_threads_prefix l p q : respects_threads l (p ++ q) -> respects_threads l p.
Proof.
  intros [Hn Hv Ho]. split.
  - eapply nodup_prefix. eassumption.
  - intros i Hi. apply Hv, in_or_app. auto.
  - intros i j e f Hj Hlt He Hf Ht. eapply before_prefix; [eassumption | assumption |].
    eapply Ho; eauto. apply in_or_app. auto.
Qed.

Lemma firstn_snoc_nth (l : list A) n e : nth_error l n = Some e -> firstn (S n) l = firstn n l ++ [e].
Proof.
  revert n. induction l as [| a l IH]; intros [| n] H; simpl in *; try discriminate; [congruence |].
  f_equal. now apply IH.
Qed.

Lemma of_thread_gap t l k n :
  k <= n -> (forall j e, nth_error l j = Some e -> thread_of e = t -> k <= j < n -> False) ->
  of_thread t (firstn n l) = of_thread t (firstn k l).
Proof.
  induction 1 as [| n Hle IH]; intro Hno; [reflexivity |].
  rewrite <- IH by (intros j e Hj Ht Hk; eapply Hno; eauto; lia).
  destruct (nth_error l n) as [e |] eqn:E.
  - rewrite (firstn_snoc_nth _ _ _ E), of_thread_app. unfold of_thread at 2. simpl.
    destruct (Pos.eqb_spec (thread_of e) t) as [Ht | _]; [exfalso; eapply Hno; eauto; lia | apply app_nil_r].
  - apply nth_error_None in E. now rewrite !firstn_all2 by lia.
Qed.

Lemma projection l w t :
  respects_threads l w ->
  exists k, (forall j e, nth_error l j = Some e -> thread_of e = t -> (In j w <-> j < k)) /\
            of_thread t (pick l w) = of_thread t (firstn k l).
Proof.
  induction w as [| i w IH] using rev_ind; intro Hr.
  - exists 0. split; [intros; simpl; intuition lia | reflexivity].
  - destruct (IH (respects_threads_prefix _ _ _ Hr)) as (k & Hk & Ek). destruct Hr as [Hn Hv Ho].
    assert (Hi : i < length l) by (apply Hv, in_or_app; simpl; auto).
    destruct (nth_error l i) as [e |] eqn:Ei; [| apply nth_error_None in Ei; lia].
    rewrite pick_app, of_thread_app, Ek. unfold pick. simpl. rewrite Ei. simpl.
    destruct (Pos.eqb_spec (thread_of e) t) as [Ht | Ht].
    + assert (Hin : forall j f, nth_error l j = Some f -> thread_of f = t -> (In j (w ++ [i]) <-> j < S i)).
      { intros j f Hj Hf. split.
        - intro H. destruct (le_lt_dec j i) as [Hle | Hgt]; [lia | exfalso].
          assert (Hb : before (w ++ [i]) i j) by (eapply Ho; eauto; congruence).
          apply in_app_or in H as [H | [H | []]]; [| lia].
          apply before_prefix in Hb; [| assumption | assumption].
          apply before_in_l in Hb. apply NoDup_remove_2 in Hn. apply Hn. now rewrite app_nil_r.
        - intro H. apply in_or_app. destruct (Nat.eq_dec j i) as [-> | Hne]; [simpl; auto | left].
          assert (Hb : before (w ++ [i]) j i)
            by (eapply Ho; eauto; [apply in_or_app; simpl; auto | lia | congruence]).
          pose proof (before_in_l _ _ _ Hb) as Hin. apply in_app_or in Hin as [Hin | [Hin | []]]; [assumption | congruence]. }
      exists (S i). split; [assumption |].
      assert (Hki : k <= i).
      { destruct (le_lt_dec k i) as [| Hgt]; [assumption | exfalso].
        apply NoDup_remove_2 in Hn. apply Hn. rewrite app_nil_r. now apply (Hk i e). }
      rewrite (firstn_snoc_nth _ _ _ Ei), of_thread_app. f_equal.
      * symmetry. apply of_thread_gap; [assumption |]. intros j f Hj Hf Hlt.
        assert (Hw : In j (w ++ [i])) by (eapply Hin; eauto; lia).
        apply in_app_or in Hw as [Hw | [Hw | []]]; [| lia]. apply (Hk j f Hj Hf) in Hw. lia.
      * unfold of_thread. simpl. destruct (Pos.eqb_spec (thread_of e) t); [reflexivity | contradiction].
    + exists k. split.
      * intros j f Hj Hf. rewrite in_app_iff, (Hk j f Hj Hf). simpl.
        split; [intros [H | [-> | []]]; [assumption | exfalso; congruence] | auto].
      * apply app_nil_r.
Qed.

End Project.

(** The trace, as a reordering of itself. *)
Lemma pick_seq {A} (l : list A) n : pick l (seq 0 n) = firstn n l.
Proof.
  induction n as [| n IH]; [reflexivity |]. rewrite seq_S, pick_app, IH.
  unfold pick. cbn [flat_map Nat.add]. destruct (nth_error l n) as [e |] eqn:E.
  - symmetry. now apply firstn_snoc_nth.
  - apply nth_error_None in E. rewrite !firstn_all2 by lia. apply app_nil_r.
Qed.

(** ** Depth of a lock, thread by thread *)

Definition depth_step (t : tid) (m : lock) (d : nat) (e : event) : nat :=
  if Pos.eqb (thread e) t then
    match action e with
    | Acquire k => if Pos.eqb m k then S d else d
    | Release k => if Pos.eqb m k then pred d else d
    | _ => d
    end
  else d.

(** How many times [t] has acquired [m] and not released it. *)
Definition depth (tr : trace) (t : tid) (m : lock) : nat := fold_left (depth_step t m) tr 0.

Lemma depth_of_thread tr t m : depth tr t m = depth (of_thread thread t tr) t m.
Proof.
  unfold depth. generalize 0. induction tr as [| e tr IH]; intro d; simpl; [reflexivity |].
  destruct (Pos.eqb (thread e) t) eqn:E; simpl; rewrite IH; [reflexivity |].
  unfold depth_step at 2. now rewrite E.
Qed.

Lemma depth_snoc tr e t m : depth (tr ++ [e]) t m = depth_step t m (depth tr t m) e.
Proof. unfold depth. now rewrite fold_left_app. Qed.

Lemma depth_is_holder tr t m :
  well_formed tr ->
  depth tr t m = match holder tr m with Some (u, d) => if Pos.eqb u t then S d else 0 | None => 0 end.
Proof.
  induction tr as [| e tr IH] using rev_ind; intro Hw; [reflexivity |].
  apply well_formed_snoc in Hw as [Hw [_ Hl]]. rewrite depth_snoc, holder_snoc, (IH Hw).
  unfold depth_step, hold_step.
  destruct (action e) as [x | x | k | k | u | u | |]; try (destruct (Pos.eqb (thread e) t); reflexivity).
  - destruct (Pos.eqb_spec m k) as [<- | _]; [| destruct (Pos.eqb (thread e) t); reflexivity].
    destruct Hl as [-> | (d & ->)]; destruct (Pos.eqb (thread e) t); reflexivity.
  - destruct (Pos.eqb_spec m k) as [<- | _]; [| destruct (Pos.eqb (thread e) t); reflexivity].
    destruct Hl as (d & ->). destruct d, (Pos.eqb (thread e) t); reflexivity.
Qed.

(** ** Sections

    C++ twin: [Section] and [sections] of the judges. *)

(** [a] is the acquire by which [t] begins a section on [m]. *)
Definition begins (tr : trace) (t : tid) (m : lock) (a : nat) : Prop :=
  nth_error tr a = Some (Event t (Acquire m)) /\ depth (firstn a tr) t m = 0.

(** From [a] until just before event [i], [t] has not let go of [m]. *)
Definition keeps (tr : trace) (t : tid) (m : lock) (a i : nat) : Prop :=
  a < i /\ forall k, a < k <= i -> 0 < depth (firstn k tr) t m.

(** Event [i] is in the section that begins at [a]. *)
Definition in_section (tr : trace) (t : tid) (m : lock) (a i : nat) : Prop :=
  begins tr t m a /\ keeps tr t m a i /\ exists e, nth_error tr i = Some e /\ thread e = t.

(** [r] is the release that ends it. *)
Definition ends (tr : trace) (t : tid) (m : lock) (a r : nat) : Prop :=
  in_section tr t m a r /\ nth_error tr r = Some (Event t (Release m)) /\ depth (firstn (S r) tr) t m = 0.

Lemma depth_after_acquire tr t m a : begins tr t m a -> 0 < depth (firstn (S a) tr) t m.
Proof.
  intros [Ha Hd]. rewrite (firstn_succ _ _ _ Ha), depth_snoc, Hd. unfold depth_step. simpl.
  rewrite !Pos.eqb_refl. lia.
Qed.

(** The section is still open, or has ended. *)
Lemma keeps_or_ended tr t m a k :
  begins tr t m a -> a < k -> keeps tr t m a k \/ exists r, ends tr t m a r /\ r < k.
Proof.
  intros Hb Hk. induction k as [| k IH]; [lia |].
  destruct (Nat.eq_dec a k) as [<- | Hne].
  - left. split; [lia |]. intros j Hj. replace j with (S a) by lia. now apply depth_after_acquire.
  - destruct IH as [[_ Hkeep] | (r & Hr & Hlt)]; [lia | | right; exists r; split; [assumption | lia]].
    destruct (Nat.eq_dec (depth (firstn (S k) tr) t m) 0) as [E | E].
    + right. exists k. split; [| lia].
      assert (Hd : 0 < depth (firstn k tr) t m) by (apply Hkeep; lia).
      destruct (nth_error tr k) as [e |] eqn:Ek.
      * rewrite (firstn_succ _ _ _ Ek), depth_snoc in E. unfold depth_step in E.
        destruct (Pos.eqb_spec (thread e) t) as [Ht | _]; [| lia].
        destruct e as [te ae]. simpl in *. subst te.
        destruct ae as [| | n | n | | | |]; simpl in E; try lia; destruct (Pos.eqb_spec m n) as [Hmn | _]; try lia; rewrite <- Hmn in Ek.
        split; [split; [assumption | split; [split; [lia | assumption] | eauto]] | split; [assumption |]].
        rewrite (firstn_succ _ _ _ Ek), depth_snoc. unfold depth_step. simpl. now rewrite !Pos.eqb_refl.
      * apply nth_error_None in Ek. rewrite firstn_all2 in E by lia. rewrite firstn_all2 in Hd by lia. lia.
    + left. split; [lia |]. intros j Hj. destruct (Nat.eq_dec j (S k)) as [-> |]; [lia | apply Hkeep; lia].
Qed.

(** In a reordering that keeps the rules of locks, a lock is free, or one's own, when one acquires it. *)
Lemma section_is_exclusive tr w p q t1 m a1 t2 a2 :
  respects_threads thread tr w -> well_formed (pick tr w) -> w = p ++ a2 :: q ->
  begins tr t1 m a1 -> nth_error tr a2 = Some (Event t2 (Acquire m)) -> t1 <> t2 ->
  In a1 p -> exists r1, ends tr t1 m a1 r1 /\ In r1 p.
Proof.
  intros Hr Hw -> Hb H2 Hne Hin.
  assert (Hrp : respects_threads thread tr p) by (eapply respects_threads_prefix; eassumption).
  destruct (projection thread tr p t1 Hrp) as (k & Hk & Ek).
  pose proof Hb as [Ha1 _].
  assert (Hak : a1 < k) by (apply (Hk a1 _ Ha1 eq_refl), Hin).
  destruct (keeps_or_ended tr t1 m a1 k Hb Hak) as [[_ Hkeep] | (r & He & Hlt)].
  - exfalso.
    assert (Hd : 0 < depth (pick tr p) t1 m).
    { rewrite depth_of_thread, Ek, <- depth_of_thread. apply Hkeep. lia. }
    rewrite pick_app, (pick_cons _ _ _ _ H2) in Hw.
    assert (Hnth : nth_error (pick tr p ++ Event t2 (Acquire m) :: pick tr q) (length (pick tr p)) = Some (Event t2 (Acquire m)))
      by (rewrite nth_error_app2, Nat.sub_diag by lia; reflexivity).
    pose proof (Hw _ _ Hnth) as [_ Hl]. simpl in Hl.
    assert (Hf : firstn (length (pick tr p)) (pick tr p ++ Event t2 (Acquire m) :: pick tr q) = pick tr p)
      by (rewrite firstn_app, Nat.sub_diag, firstn_all; simpl; apply app_nil_r).
    pose proof (well_formed_prefix _ (length (pick tr p)) Hw) as Hwp. rewrite Hf in Hwp.
    rewrite Hf in Hl. rewrite (depth_is_holder _ _ _ Hwp) in Hd.
    destruct Hl as [Hl | (d & Hl)]; rewrite Hl in Hd; [lia |].
    destruct (Pos.eqb_spec t2 t1); [congruence | lia].
  - exists r. split; [assumption |]. destruct He as (_ & Hrel & _). now apply (Hk r _ Hrel eq_refl).
Qed.
