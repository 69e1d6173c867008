(** * Memory encodes clocks

    The results of Figure 8's macros: [exec_check_pass], [exec_check_fail], [exec_merge], [exec_set_clock].  Memory encodes a
    VectorClock state ([encodes], the paper's Definition 5), and the operations of the sections on memory are those of VectorClock
    on clocks: [encodes_read] and the others.

    C++ twin: none. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Trace HappensBefore Clock ClockOrder Mini Instrument Solo.
From Omen Require VectorClock.
Module VC := VectorClock.

(** ** The macros *)

(** Instrumentation changes only its own local variables. *)
Definition same_own (G G' : env) : Prop := forall a, G' (Own a) = G (Own a).

Lemma same_own_refl G : same_own G G.
Proof. intro a. reflexivity. Qed.

Lemma same_own_trans G1 G2 G3 : same_own G1 G2 -> same_own G2 G3 -> same_own G1 G3.
Proof. intros H1 H2 a. rewrite H2. apply H1. Qed.

Lemma eval_same e G G' : own_expr e -> same_own G G' -> eval G' e = eval G e.
Proof.
  intros He H. induction e as [n | [a | |] | e1 IH1 e2 IH2 | e1 IH1 e2 IH2]; simpl in *; try contradiction; auto;
    destruct He; rewrite IH1, IH2; auto.
Qed.

Section Macros.

Context (ids : list tid).

Lemma exec_check_pass a b G D :
  (forall u, In u ids -> D (a u) <= D (b u)) ->
  exists G', exec (hb_check ids a b) G D = Some (G', D) /\ same_own G G'.
Proof.
  unfold hb_check. revert G. induction ids as [| u l IH]; intros G H; simpl; [eauto using same_own_refl |].
  unfold assign. rewrite (set_other _ _ Tmp2 _ Tmp1) by discriminate. rewrite !set_same.
  rewrite (proj2 (Nat.leb_le _ _)) by (apply H; left; reflexivity).
  destruct (IH (set local_dec (set local_dec G Tmp1 (D (a u))) Tmp2 (D (b u)))) as (G' & E & Hs); [intros; apply H; right; assumption |].
  exists G'. split; [exact E |]. intro v. rewrite Hs. now rewrite !set_other by discriminate.
Qed.

Lemma exec_check_fail a b G D u :
  In u ids -> D (b u) < D (a u) -> exec (hb_check ids a b) G D = None.
Proof.
  unfold hb_check. revert G. induction ids as [| v l IH]; intros G Hin Hlt; [destruct Hin |]. simpl.
  unfold assign. rewrite (set_other _ _ Tmp2 _ Tmp1) by discriminate. rewrite !set_same.
  destruct (Nat.leb_spec (D (a v)) (D (b v))) as [Hle | _]; [| reflexivity].
  destruct Hin as [-> | Hin]; [lia | apply IH; assumption].
Qed.

(** [D'] is [D] with [f] applied to the clock [to]. *)
Definition updated (D D' : memory) (to : block) (f : tid -> nat) : Prop :=
  (forall u, In u ids -> D' (to u) = f u) /\ forall c, (forall u, In u ids -> c <> to u) -> D' c = D c.

Lemma exec_merge from to G D :
  (forall u v, from u <> to v) -> (forall u v, to u = to v -> u = v) ->
  exists G' D', exec (merge ids from to) G D = Some (G', D') /\ same_own G G' /\
    updated D D' to (fun u => Nat.max (D (from u)) (D (to u))).
Proof.
  intros Hdis Hinj. unfold merge, updated. revert G D. induction ids as [| u l IH]; intros G D; simpl.
  - exists G, D. split; [reflexivity |]. split; [apply same_own_refl |]. split; [intros u [] | reflexivity].
  - unfold assign. rewrite (set_other _ _ Tmp2 _ Tmp1) by discriminate. rewrite !set_same.
    set (D1 := write D (to u) (Nat.max (D (from u)) (D (to u)))).
    destruct (IH (set local_dec (set local_dec G Tmp1 (D (from u))) Tmp2 (D (to u))) D1) as (G' & D' & E & Hs & Hin & Hout).
    exists G', D'. split; [exact E |]. split; [intro v; rewrite Hs; now rewrite !set_other by discriminate |].
    assert (Hfrom : forall v, D1 (from v) = D (from v)) by (intro v; apply set_other; apply Hdis).
    assert (Hto : D1 (to u) = Nat.max (D (from u)) (D (to u))) by apply set_same.
    assert (Hother : forall c, c <> to u -> D1 c = D c) by (intros c Hc; now apply set_other).
    split.
    + intros v Hv. destruct (in_dec Pos.eq_dec v l) as [Hvl | Hvl].
      * rewrite Hin by assumption. rewrite Hfrom. destruct (Pos.eq_dec v u) as [-> | Hne]; [rewrite Hto; lia |].
        rewrite Hother; [reflexivity |]. intro Ev. apply Hne, Hinj, Ev.
      * destruct Hv as [-> | Hv]; [| contradiction]. rewrite Hout; [exact Hto |].
        intros w Hw Ew. apply Hinj in Ew as ->. contradiction.
    + intros c Hc. rewrite Hout by (intros v Hv; apply Hc; right; assumption). apply Hother, Hc. left. reflexivity.
Qed.

Lemma exec_set_clock from to G D :
  (forall u v, from u <> to v) -> (forall u v, to u = to v -> u = v) ->
  exists G' D', exec (set_clock ids from to) G D = Some (G', D') /\ same_own G G' /\ updated D D' to (fun u => D (from u)).
Proof.
  intros Hdis Hinj. unfold set_clock, updated. revert G D. induction ids as [| u l IH]; intros G D; simpl.
  - exists G, D. split; [reflexivity |]. split; [apply same_own_refl |]. split; [intros u [] | reflexivity].
  - unfold assign. rewrite !set_same.
    set (D1 := write D (to u) (D (from u))).
    destruct (IH (set local_dec G Tmp1 (D (from u))) D1) as (G' & D' & E & Hs & Hin & Hout).
    exists G', D'. split; [exact E |]. split; [intro v; rewrite Hs; now rewrite !set_other by discriminate |].
    assert (Hfrom : forall v, D1 (from v) = D (from v)) by (intro v; apply set_other; apply Hdis).
    assert (Hto : D1 (to u) = D (from u)) by apply set_same.
    split.
    + intros v Hv. destruct (in_dec Pos.eq_dec v l) as [Hvl | Hvl]; [rewrite Hin by assumption; apply Hfrom |].
      destruct Hv as [-> | Hv]; [| contradiction]. rewrite Hout; [exact Hto |].
      intros w Hw Ew. apply Hinj in Ew as ->. contradiction.
    + intros c Hc. rewrite Hout by (intros v Hv; apply Hc; right; assumption).
      apply set_other. apply Hc. left. reflexivity.
Qed.

(** ** Memory and VectorClock *)

(** Definition 5.  A clock has no component outside of [ids]. *)
Record encodes (D : memory) (v : VC.state) : Prop := {
  enc_thread : forall t u, D (ThreadClock t u) = get (thread_clock (VC.sync v) t) u;
  enc_lock : forall m u, D (LockClock m u) = get (lock_clock (VC.sync v) m) u;
  enc_read : forall x u, D (ReadClock x u) = get (VC.clock_or_bottom (VC.reads v) x) u;
  enc_write : forall x u, D (WriteClock x u) = get (VC.clock_or_bottom (VC.writes v) x) u;
  no_thread : forall t u, In t ids -> ~ In u ids -> D (ThreadClock t u) = 0;
  no_lock : forall m u, ~ In u ids -> D (LockClock m u) = 0;
  no_read : forall x u, ~ In u ids -> D (ReadClock x u) = 0;
  no_write : forall x u, ~ In u ids -> D (WriteClock x u) = 0
}.

Lemma thread_clock_set s t c u : thread_clock (set_thread s t c) u = if Pos.eq_dec u t then c else thread_clock s u.
Proof.
  unfold thread_clock, set_thread. simpl. destruct (Pos.eq_dec u t) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso].
Qed.

Lemma lock_clock_set s m c k : lock_clock (set_lock s m c) k = if Pos.eq_dec k m then c else lock_clock s k.
Proof.
  unfold lock_clock, set_lock. simpl. destruct (Pos.eq_dec k m) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso].
Qed.

Lemma clock_or_bottom_add R x c y :
  VC.clock_or_bottom (PM.add x c R) y = if Pos.eq_dec y x then c else VC.clock_or_bottom R y.
Proof. unfold VC.clock_or_bottom. destruct (Pos.eq_dec y x) as [-> | H]; [now rewrite PM.gss | now rewrite PM.gso]. Qed.

Lemma encodes_initial init : encodes (memory0 init) VC.initial.
Proof.
  assert (Hc : forall t u, memory0 init (ThreadClock t u) = if Pos.eq_dec t u then 1 else 0) by reflexivity.
  split; try (intros; simpl; unfold VC.clock_or_bottom, lock_clock; simpl; now rewrite ?PM.gempty, ?get_bottom).
  - intros t u. rewrite Hc. unfold thread_clock. simpl. rewrite PM.gempty, get_inc, !get_bottom.
    destruct (Pos.eqb_spec u t), (Pos.eq_dec t u); congruence.
  - intros t u Ht Hu. rewrite Hc. destruct (Pos.eq_dec t u) as [-> |]; [contradiction | reflexivity].
Qed.

(** The checks of the section fail exactly where VectorClock sees a race. *)
Lemma encodes_leq_write D v x t :
  encodes D v -> (leq (VC.clock_or_bottom (VC.writes v) x) (thread_clock (VC.sync v) t) = true <->
                  forall u, In u ids -> D (WriteClock x u) <= D (ThreadClock t u)).
Proof.
  intro He. rewrite leq_below. unfold below. split.
  - intros H u _. rewrite (enc_write _ _ He), (enc_thread _ _ He). apply H.
  - intros H u. rewrite <- (enc_write _ _ He), <- (enc_thread _ _ He).
    destruct (in_dec Pos.eq_dec u ids) as [Hin | Hin]; [auto |]. rewrite (no_write _ _ He) by assumption. lia.
Qed.

Lemma encodes_leq_read D v x t :
  encodes D v -> (leq (VC.clock_or_bottom (VC.reads v) x) (thread_clock (VC.sync v) t) = true <->
                  forall u, In u ids -> D (ReadClock x u) <= D (ThreadClock t u)).
Proof.
  intro He. rewrite leq_below. unfold below. split.
  - intros H u _. rewrite (enc_read _ _ He), (enc_thread _ _ He). apply H.
  - intros H u. rewrite <- (enc_read _ _ He), <- (enc_thread _ _ He).
    destruct (in_dec Pos.eq_dec u ids) as [Hin | Hin]; [auto |]. rewrite (no_read _ _ He) by assumption. lia.
Qed.

Lemma not_all_leq (f g : tid -> nat) l : ~ (forall u, In u l -> f u <= g u) -> exists u, In u l /\ g u < f u.
Proof.
  induction l as [| u l IH]; intro H; [destruct H; intros u [] |].
  destruct (le_lt_dec (f u) (g u)) as [Hle | Hlt]; [| exists u; simpl; auto].
  destruct IH as (v & Hin & Hv); [| exists v; simpl; auto]. intro Hall. apply H. intros v [<- | Hin]; auto.
Qed.

(** *** The effect of each section on the clocks *)

Section Operations.

Context (D : memory) (v : VC.state) (He : encodes D v) (t : tid) (Ht : In t ids).

Lemma encodes_shared x n : encodes (write D (Shared x) n) v.
Proof. destruct He. split; intros; unfold write; rewrite set_other by discriminate; auto. Qed.

Lemma encodes_read x :
  encodes (write D (ReadClock x t) (D (ThreadClock t t))) (VC.record LeaveChild v (Event t (Read x))).
Proof.
  destruct He as [E1 E2 E3 E4 N1 N2 N3 N4]. unfold write. split; intros; simpl;
    try (rewrite set_other by discriminate; auto; fail).
  - rewrite clock_or_bottom_add. destruct (Pos.eq_dec x0 x) as [-> | Hne].
    + rewrite get_put. destruct (Pos.eqb_spec u t) as [-> | Hne]; [rewrite set_same; apply E1 |].
      rewrite set_other by congruence. apply E3.
    + rewrite set_other by congruence. apply E3.
  - rewrite set_other by congruence. auto.
Qed.

Lemma encodes_write x :
  encodes (write D (WriteClock x t) (D (ThreadClock t t))) (VC.record LeaveChild v (Event t (Write x))).
Proof.
  destruct He as [E1 E2 E3 E4 N1 N2 N3 N4]. unfold write. split; intros; simpl;
    try (rewrite set_other by discriminate; auto; fail).
  - rewrite clock_or_bottom_add. destruct (Pos.eq_dec x0 x) as [-> | Hne].
    + rewrite get_put. destruct (Pos.eqb_spec u t) as [-> | Hne]; [rewrite set_same; apply E1 |].
      rewrite set_other by congruence. apply E4.
    + rewrite set_other by congruence. apply E4.
  - rewrite set_other by congruence. auto.
Qed.

Lemma encodes_acquire D' m :
  updated D D' (ThreadClock t) (fun u => Nat.max (D (LockClock m u)) (D (ThreadClock t u))) ->
  encodes D' (VC.record LeaveChild v (Event t (Acquire m))).
Proof.
  intros [Hin Hout]. destruct He as [E1 E2 E3 E4 N1 N2 N3 N4].
  assert (Hother : forall c, (forall u, c <> ThreadClock t u) -> D' c = D c) by (intros c Hc; apply Hout; auto).
  assert (Ht' : forall w u, D' (ThreadClock w u) =
    if Pos.eq_dec w t then Nat.max (D (ThreadClock t u)) (D (LockClock m u)) else D (ThreadClock w u)).
  { intros w u. destruct (Pos.eq_dec w t) as [-> | Hne]; [| apply Hother; congruence].
    destruct (in_dec Pos.eq_dec u ids) as [Hu | Hu]; [rewrite Hin by assumption; lia |].
    rewrite Hout by (intros u' Hu' [= ->]; contradiction). rewrite N1, N2 by assumption. reflexivity. }
  assert (Es : VC.sync (VC.record LeaveChild v (Event t (Acquire m))) =
    set_thread (VC.sync v) t (join (thread_clock (VC.sync v) t) (lock_clock (VC.sync v) m))) by reflexivity.
  split; intros; rewrite ?Es; try (rewrite Hother by discriminate; first [apply E2 | apply E3 | apply E4 | now auto]).
  - rewrite Ht', thread_clock_set. destruct (Pos.eq_dec t0 t) as [-> | Hne]; [| apply E1].
    rewrite get_join, E1, E2. reflexivity.
  - rewrite Ht'. destruct (Pos.eq_dec t0 t) as [-> |]; [rewrite N1, N2 by assumption; reflexivity | auto].
Qed.

Lemma encodes_join D' u :
  u <> t -> In u ids ->
  updated D D' (ThreadClock t) (fun w => Nat.max (D (ThreadClock u w)) (D (ThreadClock t w))) ->
  encodes D' (VC.record LeaveChild v (Event t (Join u))).
Proof.
  intros Hut Hu [Hin Hout]. destruct He as [E1 E2 E3 E4 N1 N2 N3 N4].
  assert (Hother : forall c, (forall w, c <> ThreadClock t w) -> D' c = D c) by (intros c Hc; apply Hout; auto).
  assert (Ht' : forall w k, D' (ThreadClock w k) =
    if Pos.eq_dec w t then Nat.max (D (ThreadClock t k)) (D (ThreadClock u k)) else D (ThreadClock w k)).
  { intros w k. destruct (Pos.eq_dec w t) as [-> | Hne]; [| apply Hother; congruence].
    destruct (in_dec Pos.eq_dec k ids) as [Hk | Hk]; [rewrite Hin by assumption; lia |].
    rewrite Hout by (intros k' Hk' [= ->]; contradiction). rewrite !N1 by assumption. reflexivity. }
  assert (Es : VC.sync (VC.record LeaveChild v (Event t (Join u))) =
    set_thread (VC.sync v) t (join (thread_clock (VC.sync v) t) (thread_clock (VC.sync v) u))) by reflexivity.
  split; intros; rewrite ?Es; try (rewrite Hother by discriminate; first [apply E2 | apply E3 | apply E4 | now auto]).
  - rewrite Ht', thread_clock_set. destruct (Pos.eq_dec t0 t) as [-> | Hne]; [| apply E1].
    rewrite get_join, !E1. reflexivity.
  - rewrite Ht'. destruct (Pos.eq_dec t0 t) as [-> |]; [rewrite !N1 by assumption; reflexivity | auto].
Qed.

Lemma encodes_release D' m :
  updated D D' (LockClock m) (fun u => D (ThreadClock t u)) ->
  encodes (write D' (ThreadClock t t) (D' (ThreadClock t t) + 1)) (VC.record LeaveChild v (Event t (Release m))).
Proof.
  intros [Hin Hout]. destruct He as [E1 E2 E3 E4 N1 N2 N3 N4].
  assert (Hother : forall c, (forall u, c <> LockClock m u) -> D' c = D c) by (intros c Hc; apply Hout; auto).
  assert (Hl : forall k u, D' (LockClock k u) = if Pos.eq_dec k m then D (ThreadClock t u) else D (LockClock k u)).
  { intros k u. destruct (Pos.eq_dec k m) as [-> | Hne]; [| apply Hother; congruence].
    destruct (in_dec Pos.eq_dec u ids) as [Hu | Hu]; [now rewrite Hin by assumption |].
    rewrite Hout by (intros u' Hu' [= ->]; contradiction). rewrite N1, N2 by assumption. reflexivity. }
  assert (Hc : D' (ThreadClock t t) = D (ThreadClock t t)) by (apply Hother; discriminate).
  assert (Es : VC.sync (VC.record LeaveChild v (Event t (Release m))) =
    set_thread (set_lock (VC.sync v) m (thread_clock (VC.sync v) t)) t (inc t (thread_clock (VC.sync v) t))) by reflexivity.
  unfold write. split; intros; rewrite ?Es; try (rewrite set_other by discriminate; rewrite Hother by discriminate; first [apply E2 | apply E3 | apply E4 | now auto]).
  - rewrite thread_clock_set. destruct (Pos.eq_dec t0 t) as [-> | Hne].
    + rewrite get_inc. destruct (Pos.eqb_spec u t) as [-> | Hne]; [rewrite set_same, Hc, E1; lia |].
      rewrite set_other by congruence. rewrite Hother by discriminate. apply E1.
    + rewrite set_other by congruence. rewrite Hother by discriminate. apply E1.
  - rewrite set_other by discriminate. rewrite Hl.
    change (lock_clock (set_thread ?s _ _) ?k) with (lock_clock s k).
    rewrite lock_clock_set. destruct (Pos.eq_dec m0 m); auto.
  - rewrite set_other by congruence. rewrite Hother by discriminate. auto.
  - rewrite set_other by discriminate. rewrite Hl. destruct (Pos.eq_dec m0 m); auto.
Qed.

Lemma encodes_fork D' u :
  u <> t -> In u ids ->
  updated D D' (ThreadClock u) (fun w => Nat.max (D (ThreadClock t w)) (D (ThreadClock u w))) ->
  encodes (write D' (ThreadClock t t) (D' (ThreadClock t t) + 1)) (VC.record LeaveChild v (Event t (Fork u))).
Proof.
  intros Hut Hu [Hin Hout]. destruct He as [E1 E2 E3 E4 N1 N2 N3 N4].
  assert (Hother : forall c, (forall w, c <> ThreadClock u w) -> D' c = D c) by (intros c Hc; apply Hout; auto).
  assert (Ht' : forall w k, D' (ThreadClock w k) =
    if Pos.eq_dec w u then Nat.max (D (ThreadClock u k)) (D (ThreadClock t k)) else D (ThreadClock w k)).
  { intros w k. destruct (Pos.eq_dec w u) as [-> | Hne]; [| apply Hother; congruence].
    destruct (in_dec Pos.eq_dec k ids) as [Hk | Hk]; [rewrite Hin by assumption; lia |].
    rewrite Hout by (intros k' Hk' [= ->]; contradiction). rewrite !N1 by assumption. reflexivity. }
  assert (Es : VC.sync (VC.record LeaveChild v (Event t (Fork u))) =
    set_thread (set_thread (VC.sync v) u (join (thread_clock (VC.sync v) u) (thread_clock (VC.sync v) t))) t
      (inc t (thread_clock (VC.sync v) t))) by reflexivity.
  unfold write. split; intros; rewrite ?Es; try (rewrite set_other by discriminate; rewrite Hother by discriminate; first [apply E2 | apply E3 | apply E4 | now auto]).
  - rewrite !thread_clock_set. destruct (Pos.eq_dec t0 t) as [-> | Hne].
    + rewrite get_inc. destruct (Pos.eqb_spec u0 t) as [-> | Hne].
      * rewrite set_same, Ht'. destruct (Pos.eq_dec t u); [congruence |]. rewrite E1. lia.
      * rewrite set_other by congruence. rewrite Ht'. destruct (Pos.eq_dec t u); [congruence |]. apply E1.
    + rewrite set_other by congruence. rewrite Ht'. destruct (Pos.eq_dec t0 u) as [-> |]; [| apply E1].
      rewrite get_join, !E1. reflexivity.
  - rewrite set_other by congruence. rewrite Ht'. destruct (Pos.eq_dec t0 u) as [-> |]; [rewrite !N1 by assumption; reflexivity | auto].
Qed.

End Operations.

End Macros.
