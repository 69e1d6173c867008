(** * The witness checker over the whole event model

    [check_witness]: executes a witness event by event against the rows of its trace.  The racing pair comes last.
    - [check_is_right]: on a well-formed trace it accepts exactly the witnesses of [predictable_by];
    - [accepted_is_predictable]: an accepted pair is predictable.

    The time is linear in the witness, except for lookups in maps and for the arrivals of a barrier's round, which are visited
    once per leave.

    C++ twin: [Checker::accepts].  Extracted, it is what [omen check --proved] runs. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Reordering EventModel CorrectReordering EventRules WitnessRows.

(** ** The program *)

(** The state of the execution so far. *)
Record run := Run { done : PM.t nat; rules : progress; sight : memory }.

Definition no_run : run := Run (PM.empty _) no_progress no_memory.

Inductive reason :=
| NoSuchEvent
| NotItsTurn
| HardEdgeMissing
| Illegal (why : fault)
| AnotherLife
| AnotherWriter
| NoPair
| NoConflict.

Inductive verdict := Accepted | Refused (step : nat) (why : reason).

Definition same (a b : option nat) : bool :=
  match a, b with
  | Some i, Some j => Nat.eqb i j
  | None, None => true
  | _, _ => false
  end.

Definition executed (s : run) (p : place) : bool := Nat.ltb (snd p) (count_in (fst p) (done s)).

(** May event [i] come next, whatever it reads? *)
Definition look (rs : PM.t row) (s : run) (i : nat) : row * progress + reason :=
  match PM.find (key i) rs with
  | None => inr NoSuchEvent
  | Some r =>
      let e := row_event r in
      if negb (Nat.eqb (row_position r) (count_in (thread e) (done s))) then inr NotItsTurn
      else if negb (forallb (executed s) (row_needs r)) then inr HardEdgeMissing
      else
        match allow (rules s) e with
        | inr why => inr (Illegal why)
        | inl p => if same (snd (observe (sight s) (action e))) (snd (row_sees r)) then inl (r, p) else inr AnotherLife
        end
  end.

Definition step (rs : PM.t row) (s : run) (i : nat) : run + reason :=
  match look rs s i with
  | inr why => inr why
  | inl (r, p) =>
      let e := row_event r in
      if same (fst (observe (sight s) (action e))) (fst (row_sees r)) then
        inl (Run (PM.add (thread e) (S (row_position r)) (done s)) p (remember (sight s) i (action e)))
      else inr AnotherWriter
  end.

Definition conflict_rows (r q : row) : bool :=
  let e := row_event r in
  let f := row_event q in
  negb (Pos.eqb (thread e) (thread f)) &&
  match accessed (action e), accessed (action f) with
  | Some x, Some y => Pos.eqb x y && (writes (action e) || writes (action f)) && same (snd (row_sees r)) (snd (row_sees q))
  | _, _ => false
  end.

Fixpoint check_from (rs : PM.t row) (s : run) (n : nat) (w : list nat) : verdict :=
  match w with
  | [] => Refused n NoPair
  | i :: rest =>
      match rest with
      | [] => Refused (S n) NoPair
      | [j] =>
          match look rs s i with
          | inr why => Refused n why
          | inl (r, _) =>
              match look rs s j with
              | inr why => Refused (S n) why
              | inl (q, _) => if conflict_rows r q then Accepted else Refused (S n) NoConflict
              end
          end
      | _ =>
          match step rs s i with
          | inr why => Refused n why
          | inl s' => check_from rs s' (S n) rest
          end
      end
  end.

(** [rs] are the rows of the trace. *)
Definition check_witness (rs : PM.t row) (w : list nat) : verdict := check_from rs no_run 0 w.

(** ** The invariant of a run *)

Record represents (s : run) (tr : trace) (w : list nat) : Prop := {
  represents_done : forall t, count_in t (done s) = count_of t (pick tr w);
  represents_rules : follows (rules s) (pick tr w);
  represents_sight : remembers (sight s) tr w
}.

Lemma represents_nil tr : represents no_run tr [].
Proof.
  split.
  - intro t. unfold count_in. simpl. now rewrite PM.gempty.
  - apply follows_nil.
  - apply remembers_nil.
Qed.

Lemma same_spec a b : same a b = true <-> a = b.
Proof.
  destruct a, b; simpl; try (split; congruence). rewrite Nat.eqb_eq. split; congruence.
Qed.

Lemma in_reordering tr w j f :
  respects_threads thread tr w -> nth_error tr j = Some f ->
  (In j w <-> position tr j (thread f) < count_of (thread f) (pick tr w)).
Proof.
  intros Hr Hj. destruct (projection thread tr w (thread f) Hr) as (k & Hk & Ek).
  unfold count_of. rewrite Ek. change (length (of_thread thread (thread f) (firstn k tr))) with (position tr k (thread f)).
  rewrite (Hk j f Hj eq_refl). split; intro H.
  - eapply position_lt; eauto.
  - destruct (lt_dec j k) as [| Hge]; [assumption |]. pose proof (position_mono tr k j (thread f)). lia.
Qed.

Section Look.

Context (tr : trace) (w : list nat) (s : run).
Context (Hr : respects_threads thread tr w) (Hs : represents s tr w).

Lemma place_is_executed i p : is_place tr i p -> (executed s p = true <-> In i w).
Proof.
  intros (e & He & Ht & Hp). unfold executed. rewrite Nat.ltb_lt, (represents_done _ _ _ Hs), <- Hp, <- Ht.
  symmetry. now apply in_reordering.
Qed.

Lemma turn_is_right i e :
  nth_error tr i = Some e ->
  (position tr i (thread e) = count_in (thread e) (done s) <->
   ~ In i w /\ forall k f, k < i -> nth_error tr k = Some f -> thread f = thread e -> In k w).
Proof.
  intro He. rewrite (represents_done _ _ _ Hs). split.
  - intro H. split.
    + rewrite (in_reordering tr w i e Hr He). lia.
    + intros k f Hk Hf Ht. rewrite (in_reordering tr w k f Hr Hf), Ht, <- H. eapply position_lt; eassumption.
  - intros [Hnew Hall]. rewrite (in_reordering tr w i e Hr He) in Hnew.
    destruct (Nat.eq_dec (position tr i (thread e)) (count_of (thread e) (pick tr w))) as [| Hne]; [assumption | exfalso].
    destruct (event_at_position tr i (thread e) (count_of (thread e) (pick tr w))) as (k & f & Hk & Hf & Ht & Hp); [lia |].
    pose proof (Hall k f Hk Hf Ht) as Hin. rewrite (in_reordering tr w k f Hr Hf), Ht in Hin. lia.
Qed.

Lemma is_place_firstn i k p : is_place (firstn i tr) k p <-> k < i /\ is_place tr k p.
Proof.
  unfold is_place. split.
  - intros (e & He & Ht & Hp). pose proof (nth_lt _ _ _ He) as Hk. rewrite firstn_length in Hk.
    assert (He' : nth_error tr k = Some e).
    { rewrite <- (firstn_skipn i tr). rewrite nth_error_app1; [assumption | eapply nth_lt; eassumption]. }
    split; [lia |]. exists e. split; [assumption |]. split; [assumption |].
    unfold position in *. now rewrite firstn_firstn, Nat.min_l in Hp by lia.
  - intros [Hk (e & He & Ht & Hp)]. exists e. split.
    + rewrite <- (firstn_skipn i tr) in He. rewrite nth_error_app1 in He; [assumption |].
      rewrite firstn_length. pose proof (nth_lt _ _ _ He) as Hl. rewrite firstn_skipn in Hl. lia.
    + split; [assumption |]. unfold position in *. now rewrite firstn_firstn, Nat.min_l by lia.
Qed.

Lemma nth_of_firstn i k e : nth_error (firstn i tr) k = Some e -> k < i /\ nth_error tr k = Some e.
Proof.
  intro H. pose proof (nth_lt _ _ _ H) as Hk. rewrite firstn_length in Hk. split; [lia |].
  rewrite <- (firstn_skipn i tr). rewrite nth_error_app1; [assumption | eapply nth_lt; eassumption].
Qed.

Lemma nth_in_firstn i k e : k < i -> nth_error tr k = Some e -> nth_error (firstn i tr) k = Some e.
Proof.
  intros Hk He. rewrite <- (firstn_skipn i tr) in He. rewrite nth_error_app1 in He; [assumption |].
  rewrite firstn_length. pose proof (nth_lt _ _ _ He) as Hl. rewrite firstn_skipn in Hl. lia.
Qed.

Lemma place_of k e : nth_error tr k = Some e -> is_place tr k (thread e, position tr k (thread e)).
Proof. intro H. exists e. auto. Qed.

Lemma forks_executed i u :
  (forall p, In p (list_in u (forks (survey_of (firstn i tr)))) -> executed s p = true) <->
  (forall k e, k < i -> nth_error tr k = Some e -> action e = Fork u -> In k w).
Proof.
  pose proof (surveys_forks _ _ (survey_is_right (firstn i tr)) u) as Hf. split.
  - intros H k e Hk He Ha. apply (place_is_executed k _ (place_of k e He)). apply H, Hf. exists k, e.
    rewrite is_place_firstn. split; [split; [assumption | now apply place_of] |]. split; [now apply nth_in_firstn | assumption].
  - intros H p Hp. apply Hf in Hp as (k & e & Hp & He & Ha). apply is_place_firstn in Hp as [Hk Hp].
    apply nth_of_firstn in He as [_ He]. apply (place_is_executed k p Hp). eauto.
Qed.

Lemma arrivals_executed i b e :
  nth_error tr i = Some e -> action e = Leave b ->
  (forall p, In p (arrivals_of (barrier_in (survey_of (firstn i tr)) b) (thread e)) -> executed s p = true) <->
  (forall k f r, k < i -> nth_error tr k = Some f -> action f = Arrive b -> round_at tr b k (thread f) = Some r ->
     round_at tr b i (thread e) = Some r -> In k w).
Proof.
  intros He Ha. pose proof (surveys_barriers _ _ (survey_is_right (firstn i tr)) b) as [_ _ Hl Harr].
  assert (Hround : round_at tr b i (thread e) = latest (rounds_of b (firstn i tr)) (thread e)).
  { unfold round_at. rewrite (firstn_S _ _ _ He), rounds_of_snoc. unfold round_step. rewrite Ha, Pos.eqb_refl. reflexivity. }
  assert (Hat : forall k t, k < i -> round_at (firstn i tr) b k t = round_at tr b k t).
  { intros k t Hk. unfold round_at. now rewrite firstn_firstn, Nat.min_l by lia. }
  unfold arrivals_of. rewrite Hl, <- Hround. destruct (round_at tr b i (thread e)) as [n |]; [| split; [intros; discriminate | intros _ p []]].
  split.
  - intros H k f r Hk Hf Haf Hr' [= <-]. apply (place_is_executed k _ (place_of k f Hf)). apply H, Harr. exists k, f.
    rewrite is_place_firstn, Hat by assumption.
    split; [split; [assumption | now apply place_of] |]. split; [now apply nth_in_firstn | auto].
  - intros H p Hp. apply Harr in Hp as (k & f & Hp & Hf & Haf & Hr'). apply is_place_firstn in Hp as [Hk Hp].
    apply nth_of_firstn in Hf as [_ Hf]. rewrite Hat in Hr' by assumption. apply (place_is_executed k p Hp). eauto.
Qed.

Lemma child_executed i u :
  (forall p, In p (match count_in u (counts (survey_of (firstn i tr))) with 0 => [] | S n => [(u, n)] end) ->
     executed s p = true) <->
  (forall k e, k < i -> nth_error tr k = Some e -> thread e = u -> In k w).
Proof.
  rewrite (surveys_counts _ _ (survey_is_right (firstn i tr))). change (count_of u (firstn i tr)) with (position tr i u). split.
  - intros H k e Hk He Ht. pose proof (position_lt tr k i e u Hk He Ht) as Hlt.
    destruct (position tr i u) as [| n]; [lia |]. specialize (H (u, n) (or_introl eq_refl)).
    unfold executed in H. apply Nat.ltb_lt in H. simpl in H. rewrite (represents_done _ _ _ Hs) in H.
    apply (in_reordering tr w k e Hr He). rewrite Ht. lia.
  - intros H p Hp. destruct (position tr i u) as [| n] eqn:En; [destruct Hp |]. destruct Hp as [<- | []].
    destruct (event_at_position tr i u n) as (k & e & Hk & He & Ht & Hp); [lia |].
    apply (place_is_executed k). + exists e. auto. + eauto.
Qed.

Lemma needs_are_right i e :
  nth_error tr i = Some e ->
  (forallb (executed s) (needs_of (survey_of (firstn i tr)) e) = true <-> forall k, hard_edge tr k i -> In k w).
Proof.
  intro He. unfold needs_of. rewrite forallb_app, andb_true_iff, !forallb_forall, forks_executed.
  assert (Hother : (forall u, action e <> Join u) -> (forall b, action e <> Leave b) ->
    (((forall k f, k < i -> nth_error tr k = Some f -> action f = Fork (thread e) -> In k w) /\
      (forall p, In p (@nil place) -> executed s p = true)) <-> forall k, hard_edge tr k i -> In k w)).
  { intros Hj Hb. split.
    - intros [H _] k Hk. inversion Hk; subst; try (exfalso; congruence).
      assert (f = e) by congruence. subst. eauto.
    - intro H. split; [| intros p []]. intros k f Hk Hf Ha. apply H. eapply fork_before_child; eauto. }
  destruct (action e) as [| | | | | | | | | | | b | | | | | | u | |] eqn:Ea; try (apply Hother; congruence).
  - rewrite (arrivals_executed i b e He Ea). split.
    + intros [H1 H2] k Hk. inversion Hk; subst; try (exfalso; congruence); assert (f = e) by congruence; subst; eauto.
      assert (b0 = b) by congruence. subst. eauto.
    + intro H. split.
      * intros k f Hk Hf Ha. apply H. eapply fork_before_child; eauto.
      * intros k f r Hk Hf Ha H1 H2. apply H. eapply arrive_before_leave; eauto.
  - setoid_rewrite in_app_iff. split.
    + intros [H1 H2].
      assert (H3 : forall p, In p (list_in u (forks (survey_of (firstn i tr)))) -> executed s p = true) by auto.
      assert (H4 : forall p, In p (match count_in u (counts (survey_of (firstn i tr))) with 0 => [] | S n => [(u, n)] end) ->
        executed s p = true) by auto.
      rewrite forks_executed in H3. rewrite child_executed in H4. intros k Hk.
      inversion Hk; subst; try (exfalso; congruence); assert (f = e) by congruence; subst; eauto.
      * apply (H4 k e0); congruence || auto.
      * apply (H3 k e0); congruence || auto.
    + intro H. split.
      * intros k f Hk Hf Ha. apply H. eapply fork_before_child; eauto.
      * assert (H3 : forall p, In p (list_in u (forks (survey_of (firstn i tr)))) -> executed s p = true).
        { apply forks_executed. intros k f Hk Hf Ha. apply H. eapply fork_before_join; eauto. }
        assert (H4 : forall p, In p (match count_in u (counts (survey_of (firstn i tr))) with 0 => [] | S n => [(u, n)] end) ->
          executed s p = true).
        { apply child_executed. intros k f Hk Hf Ht. apply H. eapply child_before_join; eauto. congruence. }
        intros p [Hp | Hp]; auto.
Qed.

Lemma seen_in_trace i e :
  nth_error tr i = Some e -> observe (seen_memory (survey_of (firstn i tr))) (action e) = sees tr (seq 0 i) (action e).
Proof.
  intro He. rewrite (observe_is_right _ (firstn i tr) (seq 0 (length (firstn i tr)))) by apply survey_is_right.
  pose proof (nth_lt _ _ _ He) as Hlt. rewrite firstn_length, Nat.min_l by lia.
  assert (Hsame : forall what, last_such what (firstn i tr) (seq 0 i) = last_such what tr (seq 0 i)).
  { intro what. rewrite <- (firstn_skipn i tr) at 2. generalize (skipn i tr) as rest. intro rest.
    assert (Hv : forall k, In k (seq 0 i) -> k < length (firstn i tr))
      by (intros k Hk; apply in_seq in Hk; rewrite firstn_length; lia).
    induction rest as [| f rest IH] using rev_ind; [now rewrite app_nil_r |].
    rewrite app_assoc, last_such_longer; [assumption |]. intros k Hk. apply Hv in Hk. rewrite app_length. lia. }
  assert (Hw : forall x, last_writer (firstn i tr) (seq 0 i) x = last_writer tr (seq 0 i) x).
  { intro x. unfold last_writer. rewrite Hsame. destruct (last_such (touches x) tr (seq 0 i)) as [k |] eqn:E; [| reflexivity].
    apply last_such_in, in_seq in E. rewrite <- (firstn_skipn i tr) at 2.
    rewrite nth_error_app1; [reflexivity | rewrite firstn_length; lia]. }
  destruct (action e); simpl; unfold life, last_store; rewrite ?Hw, ?Hsame; reflexivity.
Qed.

Lemma life_is_right i a : snd (sees tr w a) = snd (sees tr (seq 0 i) a) <-> in_its_life tr w i a.
Proof.
  unfold in_its_life. destruct a; simpl; (split; [intros H y [= <-]; exact H | intro H; now apply H]) ||
    (split; [intros _ y; discriminate | reflexivity]).
Qed.

Lemma writer_is_right i a : fst (sees tr w a) = fst (sees tr (seq 0 i) a) <-> sees_its_writer tr w i a.
Proof. unfold sees_its_writer. destruct a; simpl; tauto. Qed.

Lemma look_is_right i :
  match look (rows_of tr) s i with
  | inl (r, p) => exists e, r = row_at tr i e /\ allow (rules s) e = inl p /\ may_be_next tr w i e
  | inr _ => forall e, ~ may_be_next tr w i e
  end.
Proof.
  unfold look. rewrite rows_are_right. destruct (nth_error tr i) as [e |] eqn:He; simpl.
  2: { intros e [H _ _ _ _ _]. congruence. }
  assert (Hthat : forall f, may_be_next tr w i f -> f = e) by (intros f [H _ _ _ _ _]; congruence).
  destruct (Nat.eqb_spec (position tr i (thread e)) (count_in (thread e) (done s))) as [Eturn | Eturn]; simpl.
  2: { intros f H. rewrite (Hthat f H) in H. destruct H as [_ H1 H2 _ _ _]. apply Eturn, turn_is_right; auto. }
  rewrite (turn_is_right i e He) in Eturn. destruct Eturn as [Hnew Hpo].
  destruct (forallb (executed s) (needs_of (survey_of (firstn i tr)) e)) eqn:Eneeds; simpl.
  2: { intros f H. rewrite (Hthat f H) in H. destruct H as [_ _ _ _ H _].
       apply not_true_iff_false in Eneeds. apply Eneeds. now apply needs_are_right. }
  rewrite (needs_are_right i e He) in Eneeds.
  pose proof (allow_is_legal _ _ e (represents_rules _ _ _ Hs)) as Hlegal.
  destruct (allow (rules s) e) as [p | why] eqn:Eallow.
  2: { intros f H. rewrite (Hthat f H) in H. destruct H as [_ _ _ H _ _]. apply Hlegal in H as (p & H). discriminate. }
  rewrite (observe_is_right _ tr w) by apply Hs. rewrite (seen_in_trace i e He).
  destruct (same (snd (sees tr w (action e))) (snd (sees tr (seq 0 i) (action e)))) eqn:Elife.
  - rewrite same_spec, life_is_right in Elife. exists e. split; [reflexivity |]. split; [assumption |].
    split; auto. apply Hlegal. eauto.
  - intros f H. rewrite (Hthat f H) in H. destruct H as [_ _ _ _ _ H]. rewrite <- life_is_right, <- same_spec in H. congruence.
Qed.

End Look.

Lemma step_is_right tr w s i :
  correct_reordering tr w -> represents s tr w ->
  match step (rows_of tr) s i with
  | inl s' => correct_reordering tr (w ++ [i]) /\ represents s' tr (w ++ [i])
  | inr _ => ~ correct_reordering tr (w ++ [i])
  end.
Proof.
  intros Hc Hs. pose proof (keeps_prefixes _ _ Hc) as Hr. pose proof (look_is_right tr w s Hr Hs i) as Hl.
  unfold step. destruct (look (rows_of tr) s i) as [[r p] | why].
  2: { rewrite extended_by_one. intros [_ (e & He & _)]. exact (Hl e He). }
  destruct Hl as (e & -> & Hallow & Hnext). pose proof (next_is _ _ _ _ Hnext) as He. simpl.
  rewrite (observe_is_right _ tr w) by apply Hs. rewrite (seen_in_trace tr i e He).
  destruct (same (fst (sees tr w (action e))) (fst (sees tr (seq 0 i) (action e)))) eqn:E.
  - rewrite same_spec, (writer_is_right tr w i) in E. split; [rewrite extended_by_one; eauto |]. split; simpl.
    + intro t. rewrite count_in_add, (represents_done _ _ _ Hs), (pick_snoc _ _ _ _ He), count_of_snoc.
      destruct (Pos.eqb_spec (thread e) t) as [<- |]; [| reflexivity].
      rewrite (proj2 (turn_is_right tr w s Hr Hs i e He)); [now rewrite (represents_done _ _ _ Hs) |].
      split; apply Hnext.
    + rewrite (pick_snoc _ _ _ _ He). eapply allow_follows; [apply Hs | assumption].
    + apply remember_snoc; [apply Hs | assumption].
  - rewrite extended_by_one. intros [_ (f & Hf & Hw)]. pose proof (next_is _ _ _ _ Hf). assert (f = e) by congruence. subst.
    rewrite <- (writer_is_right tr w i), <- same_spec in Hw. congruence.
Qed.

Lemma conflict_is_right tr i j e f :
  nth_error tr i = Some e -> nth_error tr j = Some f ->
  (conflict_rows (row_at tr i e) (row_at tr j f) = true <-> conflicting tr i j).
Proof.
  intros He Hf. unfold conflict_rows. simpl. rewrite (seen_in_trace tr i e He), (seen_in_trace tr j f Hf).
  rewrite andb_true_iff, negb_true_iff, Pos.eqb_neq. split.
  - intros [Hne H]. destruct (accessed (action e)) as [x |] eqn:Ex; [| discriminate].
    destruct (accessed (action f)) as [y |] eqn:Ey; [| discriminate].
    rewrite !andb_true_iff, Pos.eqb_eq, orb_true_iff, same_spec in H. destruct H as [[-> Hw] Hl].
    exists e, f, y. repeat (split; [assumption |]).
    destruct (action e); try discriminate; injection Ex as ->; destruct (action f); try discriminate; injection Ey as ->; exact Hl.
  - intros (e' & f' & x & He' & Hf' & Hne & Hx & Hy & Hw & Hl).
    assert (e' = e) by congruence. assert (f' = f) by congruence. subst. split; [assumption |].
    rewrite Hx, Hy, Pos.eqb_refl. simpl. rewrite andb_true_iff, orb_true_iff, same_spec. split; [assumption |].
    destruct (action e); try discriminate; injection Hx as ->; destruct (action f); try discriminate; injection Hy as ->; exact Hl.
Qed.

Lemma check_from_is_right tr w s n rest :
  correct_reordering tr w -> represents s tr w ->
  (check_from (rows_of tr) s n rest = Accepted <-> exists p i j, rest = p ++ [i; j] /\ predictable_by tr (w ++ p) i j).
Proof.
  revert w s n. induction rest as [| i rest IH]; intros w s n Hc Hs.
  { split; [discriminate | intros (p & i & j & E & _); destruct p; discriminate]. }
  destruct rest as [| j rest].
  { split; [discriminate | intros (p & a & b & E & _); destruct p as [| c [| d p]]; discriminate]. }
  destruct rest as [| k rest].
  - pose proof (look_is_right tr w s (keeps_prefixes _ _ Hc) Hs) as Hl. simpl.
    assert (Hpair : (exists p a b, [i; j] = p ++ [a; b] /\ predictable_by tr (w ++ p) a b) <-> predictable_by tr w i j).
    { split.
      - intros (p & a & b & E & H). destruct p as [| c [| d p]].
        + injection E as -> ->. now rewrite app_nil_r in H.
        + discriminate.
        + injection E as -> -> E. destruct p; discriminate.
      - intro H. exists [], i, j. rewrite app_nil_r. auto. }
    rewrite Hpair. pose proof (Hl i) as Hi. pose proof (Hl j) as Hj.
    destruct (look (rows_of tr) s i) as [[r p] | why].
    2: { split; [discriminate |]. intros (_ & _ & (e & He) & _). exfalso. eapply Hi. eassumption. }
    destruct (look (rows_of tr) s j) as [[q p'] | why].
    2: { split; [discriminate |]. intros (_ & _ & _ & (f & Hf)). exfalso. eapply Hj. eassumption. }
    destruct Hi as (e & -> & _ & He). destruct Hj as (f & -> & _ & Hf).
    pose proof (conflict_is_right tr i j e f (next_is _ _ _ _ He) (next_is _ _ _ _ Hf)) as Hconf.
    destruct (conflict_rows (row_at tr i e) (row_at tr j f)).
    + split; [| reflexivity]. intros _. split; [assumption |]. split; [now apply Hconf |]. eauto.
    + split; [discriminate |]. intros (_ & H & _). apply Hconf in H. discriminate.
  - pose proof (step_is_right tr w s i Hc Hs) as Hstep.
    change (check_from (rows_of tr) s n (i :: j :: k :: rest)) with
      (match step (rows_of tr) s i with
       | inr why => Refused n why
       | inl s' => check_from (rows_of tr) s' (S n) (j :: k :: rest)
       end).
    destruct (step (rows_of tr) s i) as [s' | why].
    + destruct Hstep as [Hc' Hs']. rewrite (IH (w ++ [i]) s' (S n) Hc' Hs'). split.
      * intros (p & a & b & E & H). exists (i :: p), a, b. rewrite E. rewrite <- app_assoc in H. auto.
      * intros (p & a & b & E & H). destruct p as [| c p]; [discriminate |]. injection E as <- E.
        exists p, a, b. rewrite <- app_assoc. auto.
    + split; [discriminate |]. intros (p & a & b & E & H). exfalso. apply Hstep.
      destruct p as [| c p]; [discriminate |]. injection E as <- _. destruct H as [H _].
      change (i :: p) with ([i] ++ p) in H. rewrite app_assoc in H. clear - H.
      induction p as [| d p IH] using rev_ind; [now rewrite app_nil_r in H |].
      rewrite app_assoc in H. apply extended_by_one in H as [H _]. auto.
Qed.

Theorem check_is_right tr w :
  check_witness (rows_of tr) w = Accepted <-> exists p i j, w = p ++ [i; j] /\ predictable_by tr p i j.
Proof. apply (check_from_is_right tr [] no_run 0 w (correct_nil tr) (represents_nil tr)). Qed.

Theorem accepted_is_predictable tr p i j :
  check_witness (rows_of tr) (p ++ [i; j]) = Accepted -> predictable tr i j.
Proof.
  intro H. apply check_is_right in H as (q & a & b & E & H).
  change (p ++ [i; j]) with (p ++ [i] ++ [j]) in E. change (q ++ [a; b]) with (q ++ [a] ++ [b]) in E.
  rewrite !app_assoc in E. apply app_inj_tail in E as [E ->]. apply app_inj_tail in E as [-> ->]. exists q. assumption.
Qed.

(** ** Small traces *)

Local Notation "t : a" := (Event t a) (at level 60).

Definition accepts (tr : trace) (w : list nat) : bool :=
  match check_witness (rows_of tr) w with Accepted => true | Refused _ _ => false end.

(** Sections of readers may come first where one of a writer may not: it is still open when the reader comes. *)
Example reader_before_writer :
  let tr := [1 : Write 1; 1 : AcquireShared 1; 1 : ReleaseShared 1; 2 : Acquire 1; 2 : Release 1; 2 : Read 1]%positive in
  accepts tr [3; 4; 0; 5] = true /\ accepts tr [0; 1; 3; 4; 0; 5] = false /\ accepts tr [3; 0; 5] = false.
Proof. vm_compute. auto. Qed.

(** Between a wait and its wake the lock is free. *)
Example in_a_wait :
  let tr := [1 : Acquire 1; 1 : Wait 1; 2 : Acquire 1; 2 : Write 1; 2 : Release 1; 1 : Wake 1; 1 : Release 1; 1 : Write 1]%positive in
  accepts tr [0; 1; 5; 6; 2; 7; 3] = true /\ accepts tr [0; 1; 5; 2; 6; 7; 3] = false.
Proof. vm_compute. auto. Qed.

(** No thread leaves a round before all have arrived; accesses before and after a barrier do not meet. *)
Example rounds_of_a_barrier :
  let tr := [1 : Write 1; 1 : Arrive 1; 2 : Arrive 1; 1 : Leave 1; 2 : Leave 1; 2 : Write 1; 1 : Write 2; 2 : Write 2]%positive in
  accepts tr [2; 4; 0; 5] = false /\ accepts tr [0; 1; 2; 4; 5; 3; 6; 7] = true.
Proof. vm_compute. auto. Qed.

(** Lives do not mix, and a free is a write. *)
Example lives :
  let tr := [1 : Alloc 1; 1 : Fork 2; 2 : Read 1; 3 : Free 1; 3 : Alloc 1; 3 : Write 1]%positive in
  accepts tr [0; 1; 2; 3] = true /\ accepts tr [0; 1; 3; 4; 2; 5] = false.
Proof. vm_compute. auto. Qed.

(** An attempt that failed is a load from what the holder stored: it stays in the section that refused it. *)
Example failed_attempt :
  let tr := [1 : Acquire 1; 1 : Store OrderRelease 1; 1 : Write 1; 2 : Load OrderAcquire 1; 2 : Write 1; 1 : Store OrderRelaxed 1;
             1 : Release 1]%positive in
  accepts tr [0; 1; 3; 2; 4] = true /\ accepts tr [3; 0; 1; 2; 4] = false.
Proof. vm_compute. auto. Qed.
