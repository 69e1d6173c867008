(** * Vector clocks

    A vector clock gives every thread a local time; a thread that is not mentioned has time 0.  The operations are those
    of the paper: bottom, join (element-wise maximum), increment of one component, and comparison.  The proofs use
    only the lemmas about [get] of each result.

    C++ twin: [VectorClock] and [Epoch]. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
From Omen Require Import Trace.

Module PM := PositiveMap.

Definition clock := PM.t nat.

(** V(t).  C++ twin: [VectorClock::operator[]]. *)
Definition get (c : clock) (t : tid) : nat :=
  match PM.find t c with
  | Some n => n
  | None => 0
  end.

Definition bottom : clock := PM.empty nat.

(** V[t := n].  C++ twin: [VectorClock::set]. *)
Definition put (c : clock) (t : tid) (n : nat) : clock := PM.add t n c.

(** C++ twin: [VectorClock::tick]. *)
Definition inc (t : tid) (c : clock) : clock := put c t (S (get c t)).

(** C++ twin: [VectorClock::join]. *)
Definition join (a b : clock) : clock :=
  PM.map2 (fun x y =>
    match x, y with
    | Some n, Some k => Some (Nat.max n k)
    | Some n, None => Some n
    | None, o => o
    end) a b.

(** Comparison, as a test and as a statement.  C++ twin: [VectorClock::covers], sides exchanged. *)
Definition leq (a b : clock) : bool := forallb (fun p => Nat.leb (snd p) (get b (fst p))) (PM.elements a).
Definition below (a b : clock) : Prop := forall t, get a t <= get b t.

(** An epoch c\@t: a clock with one component.  C++ twin: [Epoch]. *)
Record epoch := Epoch { epoch_time : nat; epoch_thread : tid }.

Definition no_epoch : epoch := Epoch 0 1%positive.

Definition epoch_leq (e : epoch) (c : clock) : bool := Nat.leb (epoch_time e) (get c (epoch_thread e)).

Definition epoch_eqb (a b : epoch) : bool :=
  Nat.eqb (epoch_time a) (epoch_time b) && Pos.eqb (epoch_thread a) (epoch_thread b).

(** The epoch as a clock. *)
Definition epoch_get (e : epoch) (t : tid) : nat := if Pos.eqb t (epoch_thread e) then epoch_time e else 0.

(** ** [get] of each operation *)

Lemma get_bottom t : get bottom t = 0.
Proof. unfold get, bottom. now rewrite PM.gempty. Qed.

Lemma get_put c t n u : get (put c t n) u = if Pos.eqb u t then n else get c u.
Proof.
  unfold get, put. destruct (Pos.eqb_spec u t) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso].
Qed.

Lemma get_put_same c t n : get (put c t n) t = n.
Proof. now rewrite get_put, Pos.eqb_refl. Qed.

Lemma get_put_other c t n u : u <> t -> get (put c t n) u = get c u.
Proof. intro H. rewrite get_put. now apply Pos.eqb_neq in H as ->. Qed.

Lemma get_inc t c u : get (inc t c) u = if Pos.eqb u t then S (get c t) else get c u.
Proof. apply get_put. Qed.

Lemma get_join a b t : get (join a b) t = Nat.max (get a t) (get b t).
Proof.
  unfold get, join, PM.map2. rewrite PM.gmap2 by reflexivity.
  destruct (PM.find t a), (PM.find t b); lia.
Qed.

Lemma leq_below a b : leq a b = true <-> below a b.
Proof.
  unfold leq. rewrite forallb_forall. split.
  - intros H t. unfold get at 1. destruct (PM.find t a) as [n |] eqn:E; [| lia].
    apply PM.elements_correct in E. apply H in E. now apply Nat.leb_le in E.
  - intros H [t n] Hin. apply PM.elements_complete in Hin. apply Nat.leb_le. simpl.
    specialize (H t). unfold get at 1 in H. now rewrite Hin in H.
Qed.

Lemma epoch_leq_spec e c : epoch_leq e c = true <-> epoch_time e <= get c (epoch_thread e).
Proof. apply Nat.leb_le. Qed.

Lemma epoch_leq_pointwise e c : epoch_leq e c = true <-> forall t, epoch_get e t <= get c t.
Proof.
  rewrite epoch_leq_spec. unfold epoch_get. split.
  - intros H t. destruct (Pos.eqb_spec t (epoch_thread e)) as [-> |]; [assumption | lia].
  - intro H. specialize (H (epoch_thread e)). now rewrite Pos.eqb_refl in H.
Qed.

Lemma epoch_eqb_spec a b : epoch_eqb a b = true <-> a = b.
Proof.
  destruct a, b. unfold epoch_eqb. simpl. rewrite andb_true_iff, Nat.eqb_eq, Pos.eqb_eq. intuition congruence.
Qed.

Lemma below_refl c : below c c.
Proof. intro t. lia. Qed.

Lemma below_trans a b c : below a b -> below b c -> below a c.
Proof. intros H1 H2 t. specialize (H1 t). specialize (H2 t). lia. Qed.

Lemma below_join_l a b : below a (join a b).
Proof. intro t. rewrite get_join. lia. Qed.

Lemma below_join_r a b : below b (join a b).
Proof. intro t. rewrite get_join. lia. Qed.

Lemma below_inc t c : below c (inc t c).
Proof. intro u. rewrite get_inc. destruct (Pos.eqb_spec u t) as [-> |]; lia. Qed.

(** Setting a component to its own value changes nothing. *)
Lemma add_idle {A} k (v : A) m : PM.find k m = Some v -> PM.add k v m = m.
Proof.
  revert m. induction k as [k IH | k IH |]; intros [| l o r] H; simpl in *; try discriminate;
    try (rewrite IH by assumption; reflexivity).
  congruence.
Qed.

Lemma put_idle c t n : get c t = n -> n <> 0 -> put c t n = c.
Proof.
  unfold get, put. destruct (PM.find t c) eqn:E; intros <- H; [now apply add_idle | congruence].
Qed.
