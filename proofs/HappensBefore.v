(** * Happens-before and races

    Thread order (TO) is program order, plus the fork of a child before the child's first event, plus the child's last
    event before a join of it, closed transitively.  Happens-before (HB) is the smallest transitive relation that
    contains TO and orders every release of a lock before every later acquire of it.  Two accesses conflict when they
    are of the same variable, by different threads, and at least one is a write.  A race is a pair of conflicting
    accesses that HB does not order.

    One clause that the prose definition leaves open is spelled out: a child with no event at all.  Its fork is before its
    joins, as if it had had one.  [empty_child_clause_is_idle] says that the clause changes nothing in a trace whose
    forked and joined children all have an event.

    The second half gives HB a second form, [path], that is easier to reason about, and proves that the two agree on
    well-formed traces ([hb_iff_path]).

    C++ twin: the definitions and the relation oracle of the judges. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace.

(** ** The definitions *)

Definition first_event (tr : trace) (u : tid) (j : nat) : Prop :=
  (exists f, nth_error tr j = Some f /\ thread f = u) /\
  (forall k f, nth_error tr k = Some f -> thread f = u -> j <= k).

Definition last_event (tr : trace) (u : tid) (i : nat) : Prop :=
  (exists e, nth_error tr i = Some e /\ thread e = u) /\
  (forall k e, nth_error tr k = Some e -> thread e = u -> k <= i).

(** TO.  Events are named by their index in the trace.  C++ twin: [fork_and_join_edges] and program order. *)
Inductive thread_order (tr : trace) : nat -> nat -> Prop :=
| to_program i j e f :
    i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> thread e = thread f ->
    thread_order tr i j
| to_fork i j e u :
    nth_error tr i = Some e -> action e = Fork u -> first_event tr u j ->
    thread_order tr i j
| to_join i j f u :
    last_event tr u i -> nth_error tr j = Some f -> action f = Join u ->
    thread_order tr i j
| to_empty_child i j e f u :
    i < j -> nth_error tr i = Some e -> action e = Fork u -> nth_error tr j = Some f -> action f = Join u ->
    ~ ran tr u ->
    thread_order tr i j
| to_trans i j k : thread_order tr i j -> thread_order tr j k -> thread_order tr i k.

(** HB.  C++ twin: the relation oracle. *)
Inductive hb (tr : trace) : nat -> nat -> Prop :=
| hb_thread_order i j : thread_order tr i j -> hb tr i j
| hb_lock i j e f m :
    i < j -> nth_error tr i = Some e -> action e = Release m -> nth_error tr j = Some f -> action f = Acquire m ->
    hb tr i j
| hb_trans i j k : hb tr i j -> hb tr j k -> hb tr i k.

Definition accesses (e : event) (x : var) : Prop := action e = Read x \/ action e = Write x.
Definition writes (e : event) (x : var) : Prop := action e = Write x.

(** C++ twin: [conflict] of the judges. *)
Definition conflict (e f : event) : Prop :=
  thread e <> thread f /\ exists x, accesses e x /\ accesses f x /\ (writes e x \/ writes f x).

(** The pair (i, j), earlier event first, is an HB race.  [hb tr j i] is impossible then: see [hb_lt]. *)
Definition race (tr : trace) (i j : nat) : Prop :=
  i < j /\ exists e f, nth_error tr i = Some e /\ nth_error tr j = Some f /\ conflict e f /\ ~ hb tr i j.

Definition racy (tr : trace) (j : nat) : Prop := exists i, race tr i j.
Definition race_free (tr : trace) : Prop := forall j, ~ racy tr j.

(** What a detector must answer: the first event that races with an earlier one. *)
Definition first_race (tr : trace) (j : nat) : Prop := racy tr j /\ forall k, k < j -> ~ racy tr k.

(** ** A second form, by slots

    Order travels through slots: one for a thread's next event, one for each lock.  An event adds its knowledge to the
    slots that it [feeds], and joins the contents of the slots that it [takes] from. *)

Inductive slot := ThreadSlot (t : tid) | LockSlot (m : lock).

Definition slot_eq_dec (a b : slot) : {a = b} + {a <> b}.
Proof. decide equality; apply Pos.eq_dec. Qed.

Definition feeds (e : event) (s : slot) : Prop :=
  s = ThreadSlot (thread e) \/
  match action e with
  | Fork u => s = ThreadSlot u
  | Release m => s = LockSlot m
  | _ => False
  end.

Definition takes (e : event) (s : slot) : Prop :=
  s = ThreadSlot (thread e) \/
  match action e with
  | Join u => s = ThreadSlot u
  | Acquire m => s = LockSlot m
  | _ => False
  end.

Definition edge (tr : trace) (i j : nat) : Prop :=
  i < j /\ exists e f s, nth_error tr i = Some e /\ nth_error tr j = Some f /\ feeds e s /\ takes f s.

Inductive path (tr : trace) : nat -> nat -> Prop :=
| path_edge i j : edge tr i j -> path tr i j
| path_step i k j : path tr i k -> edge tr k j -> path tr i j.

(** The event [i] is before every event that takes from slot [s] after the trace. *)
Definition known (tr : trace) (s : slot) (i : nat) : Prop :=
  exists j e, (i = j \/ path tr i j) /\ nth_error tr j = Some e /\ feeds e s.

Lemma path_lt tr i j : path tr i j -> i < j.
Proof. induction 1 as [i j [H _] | i k j _ IH [H _]]; lia. Qed.

Lemma path_trans tr i j k : path tr i j -> path tr j k -> path tr i k.
Proof. intros Hij Hjk. induction Hjk; eauto using path_edge, path_step. Qed.

Lemma path_ends tr i j : path tr i j -> i < length tr /\ j < length tr.
Proof.
  induction 1 as [i j (_ & e & f & _ & Hi & Hj & _) | i k j _ IH (_ & e & f & _ & Hi & Hj & _)];
    apply nth_some_lt in Hi; apply nth_some_lt in Hj; lia.
Qed.

(** *** HB and [path] agree on well-formed traces *)

Definition nth_dec (tr : trace) (u : tid) (i : nat) :
  {exists e, nth_error tr i = Some e /\ thread e = u} + {~ exists e, nth_error tr i = Some e /\ thread e = u}.
Proof.
  destruct (nth_error tr i) as [e |].
  - destruct (Pos.eq_dec (thread e) u) as [H | H]; [left; eauto | right].
    intros (f & [= ->] & Hf). contradiction.
  - right. intros (f & H & _). discriminate.
Defined.

Lemma least (P : nat -> Prop) (dec : forall i, {P i} + {~ P i}) n :
  P n -> exists k, P k /\ forall i, P i -> k <= i.
Proof.
  induction n as [n IH] using lt_wf_ind. intro Hn.
  assert (D : (exists i, i < n /\ P i) \/ forall i, i < n -> ~ P i).
  { clear IH Hn. induction n as [| n IHn]; [right; intros; lia |].
    destruct IHn as [(i & Hi & Hp) | Hno]; [left; exists i; split; [lia | assumption] |].
    destruct (dec n) as [H | H]; [left; exists n; split; [lia | assumption] | right].
    intros i Hi. destruct (Nat.eq_dec i n) as [-> | Hne]; [assumption | apply Hno; lia]. }
  destruct D as [(i & Hi & Hp) | Hno]; [eauto |].
  exists n. split; [assumption |]. intros i Hi. destruct (le_lt_dec n i); [assumption |]. exfalso. eapply Hno; eauto.
Qed.

Lemma greatest (P : nat -> Prop) (dec : forall i, {P i} + {~ P i}) n b :
  (forall i, P i -> i < b) -> P n -> exists k, n <= k /\ P k /\ forall i, P i -> i <= k.
Proof.
  intros Hb. remember (b - n) as d eqn:E. revert n E.
  induction d as [d IH] using lt_wf_ind. intros n E Hn.
  assert (D : (exists i, n < i /\ P i) \/ forall i, n < i -> ~ P i).
  { assert (D : forall c, (exists i, n < i /\ P i) \/ forall i, n < i < c -> ~ P i).
    { induction c as [| c IHc]; [right; intros; lia |].
      destruct IHc as [Hex | Hno]; [auto |].
      destruct (dec c) as [H | H]; destruct (le_lt_dec c n) as [Hle | Hlt].
      - right. intros i Hi. lia.
      - left. eauto.
      - right. intros i Hi. lia.
      - right. intros i Hi. destruct (Nat.eq_dec i c) as [-> | Hne]; [assumption | apply Hno; lia]. }
    destruct (D b) as [Hex | Hno]; [auto | right]. intros i Hi Hp. exact (Hno i (conj Hi (Hb i Hp)) Hp). }
  destruct D as [(i & Hi & Hp) | Hno].
  - assert (Hlt := Hb i Hp). destruct (IH (b - i)) with (n := i) as (k & Hk & Hpk & Hmax); auto; [lia |].
    exists k. split; [lia | auto].
  - exists n. split; [lia | split; [assumption |]].
    intros i Hi. destruct (le_lt_dec i n); [assumption |]. exfalso. eapply Hno; eauto.
Qed.

Lemma first_event_exists tr j f :
  nth_error tr j = Some f -> exists k, k <= j /\ first_event tr (thread f) k.
Proof.
  intro Hj.
  destruct (least _ (nth_dec tr (thread f)) j) as (k & Hk & Hmin); [eauto |].
  exists k. split; [apply Hmin; eauto |]. split; [assumption |]. intros i e Hi He. apply Hmin. eauto.
Qed.

Lemma last_event_exists tr i e :
  nth_error tr i = Some e -> exists k, i <= k /\ last_event tr (thread e) k.
Proof.
  intro Hi.
  destruct (greatest _ (nth_dec tr (thread e)) i (length tr)) as (k & Hk & Hp & Hmax); [| eauto |].
  - intros j (f & Hj & _). eapply nth_some_lt. eassumption.
  - exists k. split; [assumption |]. split; [assumption |]. intros j f Hj Hf. apply Hmax. eauto.
Qed.

Lemma ran_dec tr u : {ran tr u} + {~ ran tr u}.
Proof.
  destruct (existsb (fun e => Pos.eqb (thread e) u) tr) eqn:E.
  - left. apply existsb_exists in E as (e & Hin & He). exists e. split; [assumption | now apply Pos.eqb_eq].
  - right. intros (e & Hin & He). enough (existsb (fun e => Pos.eqb (thread e) u) tr = true) by congruence.
    apply existsb_exists. exists e. split; [assumption | now apply Pos.eqb_eq].
Qed.

Lemma thread_order_is_path tr i j : well_formed tr -> thread_order tr i j -> path tr i j.
Proof.
  intro Hw. induction 1 as
    [i j e f Hlt Hi Hj Ht | i j e u Hi Ha [(f & Hj & <-) _] | i j f u [(e & Hi & <-) _] Hj Ha
    | i j e f u Hlt Hi He Hj Hf _ | i j k _ IH1 _ IH2].
  - apply path_edge. split; [assumption |]. exists e, f, (ThreadSlot (thread e)). unfold feeds, takes. rewrite Ht. auto.
  - apply path_edge. split; [eapply child_runs_after_fork; eassumption |].
    exists e, f, (ThreadSlot (thread f)). unfold feeds, takes. rewrite Ha. auto.
  - apply path_edge. split; [eapply child_runs_before_join; eassumption |].
    exists e, f, (ThreadSlot (thread e)). unfold feeds, takes. rewrite Ha. auto.
  - apply path_edge. split; [assumption |].
    exists e, f, (ThreadSlot u). unfold feeds, takes. rewrite He, Hf. auto.
  - eapply path_trans; eassumption.
Qed.

(** A fork is before every event of the child, and these are before every join of it. *)
Lemma fork_is_before_child tr i j e f :
  nth_error tr i = Some e -> nth_error tr j = Some f -> action e = Fork (thread f) -> thread_order tr i j.
Proof.
  intros Hi Hj Ha. destruct (first_event_exists _ _ _ Hj) as (k & Hk & Hfirst).
  destruct (Nat.eq_dec k j) as [-> | Hne]; [eapply to_fork; eassumption |].
  pose proof Hfirst as [(g & Hg & Hgt) _].
  apply to_trans with (j := k); [eapply to_fork; eassumption |]. eapply to_program with (e := g) (f := f); eauto. lia.
Qed.

Lemma child_is_before_join tr i j e f :
  nth_error tr i = Some e -> nth_error tr j = Some f -> action f = Join (thread e) -> thread_order tr i j.
Proof.
  intros Hi Hj Ha. destruct (last_event_exists _ _ _ Hi) as (k & Hk & Hlast).
  destruct (Nat.eq_dec i k) as [-> | Hne]; [eapply to_join; eassumption |].
  pose proof Hlast as [(g & Hg & Hgt) _].
  apply to_trans with (j := k); [| eapply to_join; eassumption]. eapply to_program with (e := e) (f := g); eauto. lia.
Qed.

Lemma fork_is_before_join tr i j e f u :
  i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> action e = Fork u -> action f = Join u ->
  thread_order tr i j.
Proof.
  intros Hlt Hi Hj He Hf. destruct (ran_dec tr u) as [(g & Hin & <-) | Hno].
  - apply In_nth_error in Hin as (k & Hk).
    apply to_trans with (j := k); [eapply fork_is_before_child | eapply child_is_before_join]; eassumption.
  - eapply to_empty_child; eassumption.
Qed.

Lemma edge_is_hb tr i j : edge tr i j -> hb tr i j.
Proof.
  intros (Hlt & e & f & s & Hi & Hj & Hf & Ht).
  destruct Hf as [-> | Hf], Ht as [Hs | Ht].
  - apply hb_thread_order. eapply to_program; try eassumption. congruence.
  - destruct (action f) as [| | | m | | u | |] eqn:Ha; try contradiction; try discriminate. injection Ht as <-.
    apply hb_thread_order. eapply child_is_before_join; eassumption.
  - destruct (action e) as [| | | m | u | | |] eqn:Ha; try contradiction; subst; try discriminate. injection Hs as ->.
    apply hb_thread_order. eapply fork_is_before_child; eassumption.
  - destruct (action e) as [| | | m | u | | |] eqn:Ha; try contradiction; subst;
      destruct (action f) as [| | m' | | | u' | |] eqn:Hb; try contradiction; try discriminate; injection Ht as ->.
    + eapply hb_lock; eassumption.
    + apply hb_thread_order. eapply fork_is_before_join; eassumption.
Qed.

Theorem hb_iff_path tr i j : well_formed tr -> (hb tr i j <-> path tr i j).
Proof.
  intro Hw. split.
  - induction 1 as [i j H | i j e f m Hlt Hi He Hj Hf | i j k _ IH1 _ IH2].
    + apply thread_order_is_path; assumption.
    + apply path_edge. split; [assumption |]. exists e, f, (LockSlot m). unfold feeds, takes. rewrite He, Hf. auto.
    + eapply path_trans; eassumption.
  - induction 1 as [i j H | i k j _ IH H]; [apply edge_is_hb; assumption |].
    eapply hb_trans; [exact IH | apply edge_is_hb; assumption].
Qed.

(** HB only goes forward, so it is a strict order. *)
Corollary hb_lt tr i j : well_formed tr -> hb tr i j -> i < j.
Proof. intros Hw H. apply (path_lt tr), hb_iff_path; assumption. Qed.

(** *** The clause for empty children *)

(** TO and HB without the clause. *)
Inductive thread_order_plain (tr : trace) : nat -> nat -> Prop :=
| plain_program i j e f :
    i < j -> nth_error tr i = Some e -> nth_error tr j = Some f -> thread e = thread f ->
    thread_order_plain tr i j
| plain_fork i j e u :
    nth_error tr i = Some e -> action e = Fork u -> first_event tr u j ->
    thread_order_plain tr i j
| plain_join i j f u :
    last_event tr u i -> nth_error tr j = Some f -> action f = Join u ->
    thread_order_plain tr i j
| plain_trans i j k : thread_order_plain tr i j -> thread_order_plain tr j k -> thread_order_plain tr i k.

Inductive hb_plain (tr : trace) : nat -> nat -> Prop :=
| hb_plain_thread_order i j : thread_order_plain tr i j -> hb_plain tr i j
| hb_plain_lock i j e f m :
    i < j -> nth_error tr i = Some e -> action e = Release m -> nth_error tr j = Some f -> action f = Acquire m ->
    hb_plain tr i j
| hb_plain_trans i j k : hb_plain tr i j -> hb_plain tr j k -> hb_plain tr i k.

Theorem empty_child_clause_is_idle tr i j :
  (forall u, forked tr u -> joined tr u -> ran tr u) ->
  (hb tr i j <-> hb_plain tr i j).
Proof.
  intro Hfull.
  assert (Hto : forall a b, thread_order tr a b -> thread_order_plain tr a b).
  { induction 1 as [| | | a b e f u Hlt Ha He Hb Hf Hno |]; eauto using thread_order_plain.
    exfalso. apply Hno, Hfull; [exists e | exists f]; split; eauto using nth_error_In. }
  assert (Hot : forall a b, thread_order_plain tr a b -> thread_order tr a b)
    by (induction 1; eauto using thread_order).
  split; induction 1; eauto using hb, hb_plain.
Qed.

(** ** One more event

    How [path] and [known] change when the trace grows by one event. *)

Lemma edge_snoc_old tr e i j : j < length tr -> (edge (tr ++ [e]) i j <-> edge tr i j).
Proof.
  intro Hj. split; intros (Hlt & a & b & s & Ha & Hb & H).
  - apply nth_snoc_cases in Ha as [[_ Ha] | [-> _]]; [| lia].
    apply nth_snoc_cases in Hb as [[_ Hb] | [-> _]]; [| lia].
    split; [assumption |]. exists a, b, s. auto.
  - split; [assumption |]. exists a, b, s. auto using nth_snoc_old.
Qed.

Lemma path_snoc_old tr e i j : j < length tr -> (path (tr ++ [e]) i j <-> path tr i j).
Proof.
  intro Hj. split; intro H.
  - induction H as [i j H | i k j H IH Hkj].
    + apply path_edge. rewrite edge_snoc_old in H; assumption.
    + eapply path_step; [apply IH; destruct Hkj; lia | rewrite edge_snoc_old in Hkj; assumption].
  - induction H as [i j H | i k j H IH Hkj].
    + apply path_edge. apply edge_snoc_old; assumption.
    + eapply path_step; [apply IH; destruct Hkj; lia | apply edge_snoc_old; assumption].
Qed.

Lemma path_snoc_new tr e i :
  path (tr ++ [e]) i (length tr) <-> exists s, takes e s /\ known tr s i.
Proof.
  split.
  - intro H. assert (D : exists k, (i = k \/ path tr i k) /\ edge (tr ++ [e]) k (length tr)).
    { inversion H as [a b Hab | a k b Hak Hkb]; subst; [eauto |].
      exists k. split; [| assumption]. right. rewrite path_snoc_old in Hak; [assumption | destruct Hkb; lia]. }
    destruct D as (k & Hk & Hlt & a & b & s & Ha & Hb & Hf & Ht).
    rewrite nth_snoc_last in Hb. injection Hb as <-.
    apply nth_snoc_cases in Ha as [[_ Ha] | [-> _]]; [| lia].
    exists s. split; [assumption |]. exists k, a. auto.
  - intros (s & Ht & k & a & Hk & Ha & Hf).
    assert (E : edge (tr ++ [e]) k (length tr)).
    { split; [eapply nth_some_lt; eassumption |]. exists a, e, s. auto using nth_snoc_old, nth_snoc_last. }
    destruct Hk as [-> | Hk]; [apply path_edge; assumption |].
    eapply path_step; [| exact E]. apply path_snoc_old; [eapply nth_some_lt; eassumption | assumption].
Qed.

Lemma known_snoc tr e s i :
  known (tr ++ [e]) s i <->
  known tr s i \/ (feeds e s /\ (i = length tr \/ path (tr ++ [e]) i (length tr))).
Proof.
  split.
  - intros (j & a & Hj & Ha & Hf). apply nth_snoc_cases in Ha as [[Hlt Ha] | [-> ->]]; [left | right; auto].
    exists j, a. split; [| auto]. destruct Hj as [-> | Hj]; [auto | right].
    rewrite path_snoc_old in Hj; assumption.
  - intros [(j & a & Hj & Ha & Hf) | [Hf H]].
    + exists j, a. split; [| auto using nth_snoc_old]. destruct Hj as [-> | Hj]; [auto | right].
      apply path_snoc_old; [eapply nth_some_lt; eassumption | assumption].
    + exists (length tr), e. auto using nth_snoc_last.
Qed.

(** A thread knows its own events. *)
Lemma known_own tr i e : nth_error tr i = Some e -> known tr (ThreadSlot (thread e)) i.
Proof. intro H. exists i, e. unfold feeds. auto. Qed.

(** HB between two events does not depend on what follows them. *)
Lemma path_prefix tr n i j : j < n -> (path (firstn n tr) i j <-> path tr i j).
Proof.
  revert n. induction tr as [| e tr IH] using rev_ind; intros n Hj; [now rewrite firstn_nil |].
  destruct (le_lt_dec n (length tr)) as [Hn | Hn].
  - rewrite firstn_snoc_old, path_snoc_old, IH by lia. reflexivity.
  - rewrite firstn_all2 by (rewrite app_length; simpl; lia). reflexivity.
Qed.

(** ** Races by [path], and by prefixes *)

Lemma race_prefix tr n i j : well_formed tr -> j < n -> (race (firstn n tr) i j <-> race tr i j).
Proof.
  intros Hw Hj.
  assert (Hn : forall k e, k < n -> (nth_error (firstn n tr) k = Some e <-> nth_error tr k = Some e)).
  { intros k e Hk. split; [| apply nth_firstn; assumption]. intro H.
    rewrite <- (firstn_skipn n tr), nth_error_app1; [assumption | eapply nth_some_lt; eassumption]. }
  pose proof (well_formed_prefix tr n Hw) as Hwp.
  assert (Hb : hb (firstn n tr) i j <-> hb tr i j) by (rewrite !hb_iff_path by assumption; apply path_prefix; assumption).
  split; intros (Hlt & e & f & Hi & Hf & Hc & Hno); (split; [assumption |]); exists e, f.
  - rewrite Hn in Hi, Hf by lia. rewrite Hb in Hno. auto.
  - rewrite !Hn by lia. rewrite Hb. auto.
Qed.

Lemma racy_prefix tr n j : well_formed tr -> j < n -> (racy (firstn n tr) j <-> racy tr j).
Proof. intros Hw Hj. split; intros [i H]; exists i; eapply race_prefix; eassumption. Qed.

Lemma racy_lt tr j : racy tr j -> j < length tr.
Proof. intros (i & _ & e & f & _ & Hj & _). eapply nth_some_lt. eassumption. Qed.

(** The last event of a trace races iff some conflicting event before it is not known to its thread. *)
Lemma racy_last tr e :
  well_formed (tr ++ [e]) ->
  (racy (tr ++ [e]) (length tr) <->
   exists i f, nth_error tr i = Some f /\ conflict f e /\ ~ path (tr ++ [e]) i (length tr)).
Proof.
  intro Hw. split.
  - intros (i & Hlt & a & b & Ha & Hb & Hc & Hno). rewrite nth_snoc_last in Hb. injection Hb as <-.
    apply nth_snoc_cases in Ha as [[_ Ha] | [-> _]]; [| lia].
    exists i, a. repeat (split; [assumption |]). intro H. apply Hno. apply hb_iff_path; assumption.
  - intros (i & f & Hi & Hc & Hno). exists i. split; [eapply nth_some_lt; eassumption |].
    exists f, e. repeat split; auto using nth_snoc_old, nth_snoc_last; try apply Hc.
    intro H. apply Hno. apply hb_iff_path; assumption.
Qed.

Lemma race_free_snoc tr e :
  well_formed (tr ++ [e]) -> (race_free (tr ++ [e]) <-> race_free tr /\ ~ racy (tr ++ [e]) (length tr)).
Proof.
  intro Hw. pose proof (proj1 (well_formed_snoc _ _) Hw) as [Hwt _].
  assert (Hp : forall j, j < length tr -> (racy tr j <-> racy (tr ++ [e]) j)).
  { intros j Hj. rewrite <- (racy_prefix (tr ++ [e]) (length tr)) by assumption.
    rewrite firstn_snoc_old, firstn_all by lia. reflexivity. }
  split.
  - intro H. split; [| apply H]. intros j Hj. apply (H j). apply Hp; [eapply racy_lt; eassumption | assumption].
  - intros [H Hl] j Hj. pose proof (racy_lt _ _ Hj) as Hlt. rewrite app_length in Hlt. simpl in Hlt.
    destruct (Nat.eq_dec j (length tr)) as [-> | Hne]; [auto |]. apply (H j). apply Hp; [lia | assumption].
Qed.
