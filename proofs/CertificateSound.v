(** * Soundness of certificates

    [certificate_excludes]: if [check_certificate] accepts a certificate, no correct reordering brings its pair together.

    Suppose that [p] is such a reordering.  [precedes a b] says that [a] comes before [b] in [p], or, where [b] is one of the pair,
    that [a] is in [p]: the pair follows all of [p].
    - [true_facts]: the facts and assumptions of a branch hold of [p];
    - [edge_precedes]: then so does each edge that the checker accepts, and no cycle can be made of them ([no_cycle]);
    - [sections_in_order], [writer_order]: one of the branches of a clause holds of [p];
    - [nothing_is_refuted]: so the checker accepts no certificate. *)

From Coq Require Import List Arith Bool PArith Lia FMapPositive.
Import ListNotations.
From Omen Require Import Reordering EventModel CorrectReordering EventRules WitnessRows WitnessChecker SectionEnds Certificate.

Section Soundness.

Context (tr : trace) (i j : nat) (p : list nat) (Hp : predictable_by tr p i j).

Local Notation rs := (rows_of tr).
Local Notation table := (ends_of tr).

Let Hc : correct_reordering tr p := proj1 Hp.
Let Hr : respects_threads thread tr p := keeps_prefixes _ _ Hc.

Lemma pair_is_next n : in_pair i j n = true -> exists e, may_be_next tr p n e.
Proof.
  unfold in_pair. rewrite orb_true_iff, !Nat.eqb_eq. pose proof Hp as (_ & _ & Hi & Hj). intros [E | E]; rewrite E; assumption.
Qed.

Lemma pair_is_new n : in_pair i j n = true -> ~ In n p.
Proof. intro H. destruct (pair_is_next n H) as (e & [_ H' _ _ _ _]). assumption. Qed.

(** [a] comes before [b] in [p], or before the pair. *)
Definition precedes (a b : nat) : Prop := if in_pair i j b then In a p else before p a b.

Lemma precedes_in a b : precedes a b -> In a p.
Proof. unfold precedes. destruct (in_pair i j b); [auto | apply before_in_l]. Qed.

Lemma precedes_trans a b c : precedes a b -> precedes b c -> precedes a c.
Proof.
  intros Hab Hbc. pose proof (precedes_in _ _ Hbc) as Hb. unfold precedes in Hab.
  destruct (in_pair i j b) eqn:Eb; [exfalso; eapply pair_is_new; eassumption |].
  unfold precedes in *. destruct (in_pair i j c); [eapply before_in_l; eassumption |].
  eapply before_trans; [apply Hr | eassumption | assumption].
Qed.

Lemma precedes_node a b c : same_node i j b c = true -> precedes a b -> precedes a c.
Proof.
  unfold same_node. rewrite orb_true_iff, andb_true_iff, Nat.eqb_eq. intros [-> | [Hb Hc']]; [auto |].
  unfold precedes. now rewrite Hb, Hc'.
Qed.

Lemma nothing_precedes_itself a b : same_node i j a b = true -> ~ precedes b a.
Proof.
  unfold same_node. rewrite orb_true_iff, andb_true_iff, Nat.eqb_eq. intros [-> | [Ha Hb]] H.
  - pose proof (precedes_in _ _ H) as Hin. unfold precedes in H. destruct (in_pair i j b) eqn:Eb.
    + eapply pair_is_new; eassumption.
    + eapply before_irrefl; [apply Hr | eassumption].
  - eapply pair_is_new; [exact Hb | eapply precedes_in; eassumption].
Qed.

(** ** The meaning of the facts *)

Record true_facts (s : facts) : Prop := {
  known_is_executed : forall n e, nth_error tr n = Some e -> position tr n (thread e) < count_in (thread e) (known s) -> In n p;
  assumed_precedes : forall a b, In (a, b) (assumed s) -> precedes a b
}.

Lemma row_found n r : PM.find (key n) rs = Some r -> exists e, nth_error tr n = Some e /\ r = row_at tr n e.
Proof.
  rewrite rows_are_right. destruct (nth_error tr n) as [e |]; [| discriminate]. intros [= <-]. eauto.
Qed.

Lemma known_in s n e : true_facts s -> nth_error tr n = Some e -> is_known s (row_at tr n e) = true -> In n p.
Proof. intros Hs He H. apply Nat.ltb_lt in H. eapply known_is_executed; eauto. Qed.

(** A row's hard edges. *)
Lemma need_is_hard_edge a b e f :
  nth_error tr a = Some e -> nth_error tr b = Some f -> In (place_of_row (row_at tr a e)) (row_needs (row_at tr b f)) ->
  hard_edge tr a b.
Proof.
  intros He Hf H. unfold place_of_row in H. simpl in H.
  set (pl := (thread e, position tr a (thread e))) in *.
  assert (Hunique : forall k q, is_place (firstn b tr) k q -> q = pl -> k = a /\ a < b).
  { intros k q Hk ->. apply is_place_firstn in Hk as [Hkb (g & Hg & Ht & Hpos)]. simpl in *.
    assert (k = a) as -> by (eapply position_inj; eauto). auto. }
  unfold needs_of in H. apply in_app_or in H as [H | H].
  - apply (surveys_forks _ _ (survey_is_right (firstn b tr))) in H as (k & g & Hk & Hg & Ha).
    destruct (Hunique k _ Hk eq_refl) as [-> Hlt]. apply nth_of_firstn in Hg as [_ Hg]. assert (g = e) by congruence. subst g.
    eapply fork_before_child; eauto.
  - destruct (action f) as [| | | | | | | | | | | c | | | | | | u | |] eqn:Ef; try destruct H.
    + unfold arrivals_of in H. pose proof (surveys_barriers _ _ (survey_is_right (firstn b tr)) c) as [_ _ Hl Harr].
      rewrite Hl in H. destruct (latest (rounds_of c (firstn b tr)) (thread f)) as [n |] eqn:En; [| destruct H].
      apply Harr in H as (k & g & Hk & Hg & Ha & Hround). destruct (Hunique k _ Hk eq_refl) as [-> Hlt].
      apply nth_of_firstn in Hg as [_ Hg]. assert (g = e) by congruence. subst g.
      apply arrive_before_leave with (e := e) (f := f) (b := c) (r := n); auto.
      * unfold round_at in Hround |- *. rewrite firstn_firstn, Nat.min_l in Hround by lia. assumption.
      * unfold round_at. rewrite (firstn_S _ _ _ Hf), rounds_of_snoc. unfold round_step. rewrite Ef, Pos.eqb_refl. exact En.
    + apply in_app_or in H as [H | H].
      * apply (surveys_forks _ _ (survey_is_right (firstn b tr))) in H as (k & g & Hk & Hg & Ha).
        destruct (Hunique k _ Hk eq_refl) as [-> Hlt]. apply nth_of_firstn in Hg as [_ Hg]. assert (g = e) by congruence. subst g.
        eapply fork_before_join; eauto.
      * rewrite (surveys_counts _ _ (survey_is_right (firstn b tr))) in H.
        change (count_of u (firstn b tr)) with (position tr b u) in H.
        destruct (position tr b u) as [| n] eqn:En; [destruct H |]. destruct H as [H | []]. unfold pl in H. injection H as Ht Hn.
        assert (Hlt : a < b).
        { destruct (event_at_position tr b u n) as (k & g & Hk & Hg & Hgt & Hpos); [lia |].
          assert (k = a) as -> by (eapply position_inj; [eassumption | eassumption | exact Hgt | congruence | congruence]).
          assumption. }
        apply child_before_join with (e := e) (f := f); auto. congruence.
Qed.

Lemma hard_edge_precedes a b : hard_edge tr a b -> (in_pair i j b = true \/ In b p) -> precedes a b.
Proof.
  intros H Hb. unfold precedes. destruct (in_pair i j b) eqn:Eb.
  - destruct (pair_is_next b Eb) as (f & Hf). now apply (next_has_edges _ _ _ _ Hf).
  - destruct Hb as [Hb | Hb]; [discriminate |]. now apply (keeps_hard_edges _ _ Hc).
Qed.

(** The events executed before [b], and the rest. *)
Lemma split_at b : In b p -> exists q r, p = q ++ b :: r.
Proof. apply in_split. Qed.

Lemma last_writer_in w x n : last_writer tr w x = Some n -> In n w.
Proof.
  unfold last_writer. destruct (last_such (touches x) tr w) as [k |] eqn:E; [| discriminate].
  destruct (nth_error tr k) as [g |]; [| discriminate]. destruct (is_alloc (action g)); [discriminate |].
  intros [= <-]. eapply last_such_in. eassumption.
Qed.

(** An event sees the same writer after a part of [p] as in the trace. *)
Lemma life_kept q b f :
  nth_error tr b = Some f -> (exists r, p = q ++ b :: r) \/ (in_pair i j b = true /\ q = p) ->
  snd (sees tr q (action f)) = snd (row_sees (row_at tr b f)).
Proof.
  intros Hf Hq. simpl. rewrite (seen_in_trace tr b f Hf). apply life_is_right.
  destruct Hq as [(r & E) | [Hb ->]].
  - eapply (mixes_no_lives _ _ Hc); eassumption.
  - destruct (pair_is_next b Hb) as (g & Hg). pose proof (next_is _ _ _ _ Hg). assert (g = f) by congruence. subst g. apply Hg.
Qed.

Lemma writer_kept q b f r :
  nth_error tr b = Some f -> p = q ++ b :: r -> fst (sees tr q (action f)) = fst (row_sees (row_at tr b f)).
Proof.
  intros Hf E. simpl. rewrite (seen_in_trace tr b f Hf). apply writer_is_right. eapply (keeps_writers _ _ Hc); eassumption.
Qed.

Lemma sees_in q a n : fst (sees tr q a) = Some n \/ snd (sees tr q a) = Some n -> In n q.
Proof.
  destruct a; simpl; intros [H | H]; try discriminate;
    solve [eapply last_writer_in; eassumption | eapply last_such_in; eassumption].
Qed.

Lemma source_precedes a b f :
  nth_error tr b = Some f -> in_pair i j b = true \/ In b p ->
  snd (row_sees (row_at tr b f)) = Some a \/ (in_pair i j b = false /\ fst (row_sees (row_at tr b f)) = Some a) -> precedes a b.
Proof.
  intros Hf Hb H. unfold precedes. destruct (in_pair i j b) eqn:Eb.
  - destruct H as [H | [H _]]; [| discriminate]. rewrite <- (life_kept p b f Hf (or_intror (conj Eb eq_refl))) in H.
    eapply sees_in. eauto.
  - destruct Hb as [Hb | Hb]; [discriminate |]. destruct (split_at b Hb) as (q & r & E). exists q, r. split; [assumption |].
    destruct H as [H | [_ H]].
    + rewrite <- (life_kept q b f Hf (or_introl (ex_intro _ r E))) in H. eapply sees_in. eauto.
    + rewrite <- (writer_kept q b f r Hf E) in H. eapply sees_in. eauto.
Qed.

Lemma thread_precedes a b e f :
  nth_error tr a = Some e -> nth_error tr b = Some f -> thread e = thread f ->
  position tr a (thread e) < position tr b (thread f) -> in_pair i j b = true \/ In b p -> precedes a b.
Proof.
  intros He Hf Ht Hpos Hb.
  assert (Hlt : a < b).
  { destruct (le_lt_dec b a) as [Hle |]; [| assumption]. pose proof (position_mono tr b a (thread f) Hle). rewrite Ht in Hpos. lia. }
  unfold precedes. destruct (in_pair i j b) eqn:Eb.
  - destruct (pair_is_next b Eb) as (g & Hg). pose proof (next_is _ _ _ _ Hg). assert (g = f) by congruence. subst g.
    eapply next_in_thread; eauto.
  - destruct Hb as [Hb | Hb]; [discriminate |]. eapply in_program_order; eauto.
Qed.

Lemma place_eqb_eq q r : place_eqb q r = true <-> q = r.
Proof.
  unfold place_eqb. rewrite andb_true_iff, Pos.eqb_eq, Nat.eqb_eq. destruct q, r. simpl. split; [intros [-> ->] | intros [= -> ->]]; auto.
Qed.

Lemma edge_precedes s h : true_facts s -> edge rs i j s h = true -> precedes (hop_from h) (hop_to h).
Proof.
  intros Hs H. unfold edge in H.
  destruct (PM.find (key (hop_from h)) rs) as [a |] eqn:Ea; [| discriminate].
  destruct (PM.find (key (hop_to h)) rs) as [b |] eqn:Eb; [| discriminate].
  apply row_found in Ea as (e & He & ->). apply row_found in Eb as (f & Hf & ->).
  assert (Hreached : in_pair i j (hop_to h) || is_known s (row_at tr (hop_to h) f) = true -> in_pair i j (hop_to h) = true \/ In (hop_to h) p).
  { rewrite orb_true_iff. intros [|]; [auto |]. right. eapply known_in; eassumption. }
  destruct (hop_rule h).
  - rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3]. apply Pos.eqb_eq in H2. apply Nat.ltb_lt in H3. simpl in H2, H3.
    eapply thread_precedes; eauto.
  - apply andb_true_iff in H as [H1 H2]. apply existsb_exists in H2 as (q & Hq & E). apply place_eqb_eq in E as <-.
    apply hard_edge_precedes; [| auto]. eapply need_is_hard_edge; eassumption.
  - rewrite andb_true_iff in H. destruct H as [H1 H2]. rewrite orb_true_iff, andb_true_iff, negb_true_iff, !same_spec in H2.
    eapply source_precedes; eauto.
  - apply existsb_exists in H as ([a b] & Hin & E). apply andb_true_iff in E as [E1 E2]. apply Nat.eqb_eq in E1, E2. simpl in *.
    subst. now apply (assumed_precedes _ Hs).
  - apply andb_true_iff in H as [H1 H2]. unfold precedes. rewrite H1. eapply known_in; eassumption.
Qed.

Lemma leads_back_precedes s start n hops :
  true_facts s -> leads_back rs i j s start n hops = true -> forall a, precedes a n -> precedes a start.
Proof.
  intros Hs. revert n. induction hops as [| h hops IH]; simpl; intros n H a Ha.
  - eapply precedes_node; eassumption.
  - rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3]. apply (IH (hop_to h) H3).
    apply precedes_trans with (hop_from h); [eapply precedes_node; eassumption | eapply edge_precedes; eassumption].
Qed.

Lemma no_cycle s hops : true_facts s -> is_cycle rs i j s hops = false.
Proof.
  intro Hs. apply not_true_iff_false. intro H. destruct hops as [| h hops]; [discriminate |]. simpl in H.
  apply andb_true_iff in H as [H1 H2].
  apply (nothing_precedes_itself (hop_from h) (hop_from h)); [unfold same_node; now rewrite Nat.eqb_refl |].
  eapply leads_back_precedes; [eassumption | eassumption |]. eapply edge_precedes; eassumption.
Qed.

Lemma learn_true s n e : true_facts s -> nth_error tr n = Some e -> In n p -> true_facts (learn s (row_at tr n e)).
Proof.
  intros Hs He Hin. unfold learn. destruct (is_known s (row_at tr n e)); [assumption |]. split; simpl; [| apply Hs].
  intros k f Hf. rewrite count_in_add. destruct (Pos.eqb_spec (thread e) (thread f)) as [Ht | Hne].
  - intro Hpos. destruct (Nat.eq_dec k n) as [-> | Hkn]; [assumption |].
    assert (Hlt : k < n).
    { destruct (le_lt_dec n k) as [Hle |]; [exfalso | assumption].
      assert (Hlt : n < k) by lia. pose proof (position_lt tr n k e (thread f) Hlt He Ht). rewrite Ht in Hpos. lia. }
    eapply before_in_l. eapply (in_program_order _ _ _ Hr); eauto.
  - apply (known_is_executed _ Hs k f Hf).
Qed.

Lemma assume_true s a b e :
  true_facts s -> nth_error tr a = Some e -> precedes a b -> true_facts (assume s a b (row_at tr a e)).
Proof.
  intros Hs He H. pose proof (learn_true s a e Hs He (precedes_in _ _ H)) as Hl. split; simpl; [apply Hl |].
  intros c d [[= <- <-] | Hin]; [assumption |]. now apply (assumed_precedes _ Hl).
Qed.

(** ** The disjunctions *)

Lemma sections_in_order a b e f m mode mode' v :
  nth_error tr a = Some e -> nth_error tr b = Some f -> thread e <> thread f ->
  takes (action e) = Some (m, mode) -> takes (action f) = Some (m, mode') -> mode && mode' = false ->
  end_in table a = Some v -> before p a b ->
  exists r g, v = Some r /\ nth_error tr r = Some g /\ precedes r b.
Proof.
  intros He Hf Hne Hta Htb Hm Hend (q & rest & E & Ha).
  destruct (ends_are_right tr a v Hend) as (t & n & md & Hs).
  assert (Hthat : t = thread e /\ n = m /\ md = mode).
  { destruct Hs as [(g & Hg & Hgt & Hga) _ _]. assert (g = e) by congruence. subst g.
    destruct (action e); try discriminate; injection Hta as <- <-; injection Hga as <- <-; auto. }
  destruct Hthat as (-> & -> & ->).
  assert (Hlegal : legal (pick tr q) f).
  { pose proof (is_well_formed _ _ Hc) as Hw. rewrite E, pick_app, (pick_cons _ _ _ _ Hf) in Hw.
    change (f :: pick tr rest) with ([f] ++ pick tr rest) in Hw. rewrite app_assoc in Hw. apply well_formed_app in Hw.
    now apply well_formed_snoc in Hw. }
  assert (Hq : respects_threads thread tr q) by (apply respects_threads_prefix with (q := b :: rest); rewrite <- E; exact Hr).
  destruct (rival_waits tr q a v (thread e) m mode f mode' Hq Hs Ha Hlegal Htb) as (r & -> & Hin); [congruence | assumption |].
  destruct (ends_with _ _ _ _ _ _ Hs r eq_refl) as (_ & g & Hg & _). exists r, g. split; [reflexivity |]. split; [assumption |].
  unfold precedes. destruct (in_pair i j b); [| exists q, rest; auto].
  rewrite E. apply in_or_app. auto.
Qed.

(** [w] is such an event, [n] the last one, in the part [q]. *)
Lemma not_after_the_last what q w g :
  NoDup q -> nth_error tr w = Some g -> what (action g) = true -> In w q ->
  exists n, last_such what tr q = Some n /\ (w = n \/ before q w n).
Proof.
  intros Hn Hg Hw. induction q as [| k q IH] using rev_ind; intro Hin; [destruct Hin |].
  unfold last_such. rewrite fold_left_app. simpl. fold (last_such what tr q).
  apply in_app_or in Hin. destruct (nth_error tr k) as [f |] eqn:Ek.
  - destruct (what (action f)) eqn:Ewhat.
    + exists k. split; [reflexivity |]. destruct Hin as [Hin | [-> | []]]; [| auto]. right. exists q, []. auto.
    + destruct Hin as [Hin | [-> | []]]; [| congruence].
      destruct (IH (nodup_prefix _ _ Hn) Hin) as (n & Hl & [-> | Hb]); exists n; (split; [exact Hl |]); [auto |].
      right. now apply before_of_prefix.
  - destruct Hin as [Hin | [-> | []]]; [| congruence].
    destruct (IH (nodup_prefix _ _ Hn) Hin) as (n & Hl & [-> | Hb]); exists n; (split; [exact Hl |]); [auto |].
    right. now apply before_of_prefix.
Qed.

(** The last allocation that a part of a reordering has, if the last event on the variable is one. *)
Lemma last_touch_is_life w x n g :
  last_such (touches x) tr w = Some n -> nth_error tr n = Some g -> is_alloc (action g) = true -> life tr w x = Some n.
Proof.
  revert n g. induction w as [| k w IH] using rev_ind; intros n g H Hg Ha; [discriminate |].
  unfold life, last_such in *. rewrite fold_left_app in H |- *. simpl in H |- *.
  fold (last_such (touches x) tr w) in H. fold (last_such (begins_life x) tr w).
  destruct (nth_error tr k) as [f |] eqn:Ek; [| eapply IH; eassumption].
  destruct (touches x (action f)) eqn:Et.
  - injection H as ->. assert (f = g) by congruence. subst f.
    destruct (action g); try discriminate. simpl in *. now rewrite Et.
  - replace (begins_life x (action f)) with false; [eapply IH; eassumption |].
    symmetry. destruct (action f); try reflexivity. exact Et.
Qed.

Lemma some_equal {A} (a b : A) : Some a = Some b -> a = b.
Proof. congruence. Qed.

(** An event that [r] does not see comes before the one that [r] sees, if it comes before [r]. *)
Lemma writer_order q r w e g seen :
  nth_error tr r = Some e -> nth_error tr w = Some g ->
  (exists rest, p = q ++ r :: rest) \/ (in_pair i j r = true /\ q = p) ->
  guarded (in_pair i j r) (row_at tr r e) (row_at tr w g) = Some seen -> In w q -> seen <> Some w ->
  exists n, seen = Some n /\ before p w n.
Proof.
  intros He Hg Hq Hguard Hw Hne.
  assert (Hnodup : NoDup q).
  { destruct Hq as [(rest & E) | [_ ->]]; [| apply Hr]. apply (nodup_prefix q (r :: rest)). rewrite <- E. apply Hr. }
  assert (Hup : forall n, before q w n -> before p w n).
  { intros n Hb. destruct Hq as [(rest & ->) | [_ ->]]; [now apply before_of_prefix | assumption]. }
  assert (Hlast : forall what, what (action g) = true -> last_such what tr q = seen -> exists n, seen = Some n /\ before p w n).
  { intros what Hwhat Hseen. destruct (not_after_the_last what q w g Hnodup Hg Hwhat Hw) as (n & Hn & [-> | Hb]); [congruence |].
    exists n. split; [congruence | auto]. }
  pose proof (life_kept q r e He Hq) as Hlife. unfold guarded in Hguard.
  change (row_event (row_at tr r e)) with e in Hguard. change (row_event (row_at tr w g)) with g in Hguard.
  destruct (accessed (action e)) as [x |] eqn:Eacc.
  - assert (Hl : snd (sees tr q (action e)) = life tr q x)
      by (destruct (action e); try discriminate; injection Eacc as ->; reflexivity).
    assert (Hread : forall y, touches y (action g) = true -> is_alloc (action g) = false ->
      match action e with Read z => if Pos.eqb z y && negb (in_pair i j r) then
        Some (match fst (row_sees (row_at tr r e)) with Some n => Some n | None => snd (row_sees (row_at tr r e)) end)
        else None | _ => None end = Some seen -> exists n, seen = Some n /\ before p w n).
    { intros y Ht Hno H. destruct (action e) eqn:Ee; try discriminate. injection Eacc as ->.
      destruct (Pos.eqb_spec x y) as [-> |]; [| discriminate]. destruct (in_pair i j r) eqn:Epair; [discriminate |].
      apply some_equal in H. destruct Hq as [(rest & E) | [Hfalse _]]; [| discriminate].
      pose proof (writer_kept q r e rest He E) as Hwriter. rewrite Ee in Hwriter.
      apply (Hlast (touches y)); [assumption |]. rewrite <- H, <- Hwriter, <- Hlife. simpl. unfold last_writer.
      destruct (last_such (touches y) tr q) as [n |] eqn:En.
      - assert (Hn : n < length tr) by (apply (of_the_trace _ _ _ Hr); rewrite E; apply in_or_app; left; eapply last_such_in; eassumption).
        destruct (nth_error tr n) as [f |] eqn:Ef; [| apply nth_error_None in Ef; lia].
        destruct (is_alloc (action f)) eqn:Ea; [| reflexivity]. symmetry. eapply last_touch_is_life; eassumption.
      - exfalso. destruct (not_after_the_last (touches y) q w g Hnodup Hg Ht Hw) as (n & Hn & _). congruence. }
    destruct (action g) as [y | y | y | y | m | m | m | m | m | m | b | b | o y | o y | o y | o | u | u | |] eqn:Eg;
      try (destruct (action e); discriminate).
    + apply (Hread y); [simpl; apply Pos.eqb_refl | reflexivity | exact Hguard].
    + destruct (Pos.eqb_spec x y) as [-> |]; [| discriminate]. apply some_equal in Hguard.
      apply (Hlast (begins_life y)); [simpl; apply Pos.eqb_refl |]. change (life tr q y = seen). congruence.
    + apply (Hread y); [simpl; apply Pos.eqb_refl | reflexivity | exact Hguard].
  - assert (Hat : forall x y, stores y (action g) = true -> fst (sees tr q (action e)) = last_store tr q x ->
      (if Pos.eqb x y then Some (fst (row_sees (row_at tr r e))) else None) = Some seen ->
      exists n, seen = Some n /\ before p w n).
    { intros x y Hst Hs H. destruct (Pos.eqb_spec x y) as [-> |]; [| discriminate]. apply some_equal in H.
      destruct Hq as [(rest & E) | [Hpair _]].
      - apply (Hlast (stores y)); [assumption |]. rewrite <- H, <- (writer_kept q r e rest He E), Hs. reflexivity.
      - exfalso. pose proof Hp as (_ & (e1 & e2 & z & H1 & H2 & _ & Hz1 & Hz2 & _) & _).
        unfold in_pair in Hpair. apply orb_true_iff in Hpair. rewrite !Nat.eqb_eq in Hpair.
        destruct Hpair as [-> | ->]; congruence. }
    destruct (action e) as [x | x | x | x | m | m | m | m | m | m | b | b | o x | o x | o x | o | u | u | |] eqn:Ee; try discriminate;
      destruct (action g) as [y | y | y | y | m' | m' | m' | m' | m' | m' | b' | b' | o' y | o' y | o' y | o' | u' | u' | |] eqn:Eg;
      try discriminate; apply (Hat x y); try exact Hguard; try reflexivity; simpl; apply Pos.eqb_refl.
Qed.

(** ** The whole certificate *)

Lemma impossible c : (match c with Impossible => true | _ => false end) = true -> c = Impossible.
Proof. destruct c; congruence. Qed.

Lemma nothing_is_refuted c s : true_facts s -> refutes rs table i j s c = false.
Proof.
  revert s. induction c as [hops | | h c IH | a b c1 IH1 c2 IH2 | r w c1 IH1 c2 IH2]; intros s Hs; simpl.
  - now apply no_cycle.
  - reflexivity.
  - apply not_true_iff_false. intro H. apply andb_true_iff in H as [He H].
    pose proof (edge_precedes s h Hs He) as Hedge. destruct (PM.find (key (hop_from h)) rs) as [row |] eqn:Er; [| discriminate].
    apply row_found in Er as (e & Hnth & ->). rewrite IH in H; [discriminate |]. apply learn_true; auto.
    eapply precedes_in. eassumption.
  - apply not_true_iff_false. intro H.
    destruct (PM.find (key a) rs) as [ra |] eqn:Ea; [| discriminate]. destruct (PM.find (key b) rs) as [rb |] eqn:Eb; [| discriminate].
    apply row_found in Ea as (e & He & ->). apply row_found in Eb as (f & Hf & ->).
    change (row_event (row_at tr a e)) with e in H. change (row_event (row_at tr b f)) with f in H.
    destruct (takes (action e)) as [[m mode] |] eqn:Ete; [| discriminate].
    destruct (takes (action f)) as [[m' mode'] |] eqn:Etf; [| discriminate].
    destruct (end_in table a) as [va |] eqn:Eva; [| discriminate]. destruct (end_in table b) as [vb |] eqn:Evb; [| discriminate].
    rewrite !andb_true_iff, !negb_true_iff, Pos.eqb_eq, Pos.eqb_neq in H.
    destruct H as [[[[[[<- Hmode] Hne] Hka] Hkb] Hfirst] Hsecond].
    pose proof (known_in s a e Hs He Hka) as Ha. pose proof (known_in s b f Hs Hf Hkb) as Hb.
    assert (Hab : a <> b) by congruence.
    assert (Hbranch : forall c y vx, (forall s, true_facts s -> refutes rs table i j s c = false) ->
      match vx with
      | Some n => match PM.find (key n) rs with Some re => refutes rs table i j (assume s n y re) c | None => false end
      | None => match c with Impossible => true | _ => false end
      end = true -> (exists n g, vx = Some n /\ nth_error tr n = Some g /\ precedes n y) -> False).
    { intros c y vx IH Hbr (n & g & -> & Hg & Hprec). rewrite rows_are_right, Hg in Hbr. simpl in Hbr.
      rewrite IH in Hbr; [discriminate |]. now apply assume_true. }
    destruct (before_total p a b Ha Hb Hab) as [Hbefore | Hbefore].
    + apply (Hbranch c1 b va IH1 Hfirst).
      eapply (sections_in_order a b e f); eassumption.
    + apply (Hbranch c2 a vb IH2 Hsecond).
      eapply (sections_in_order b a f e); try eassumption; [congruence | now rewrite andb_comm].
  - apply not_true_iff_false. intro H.
    destruct (PM.find (key r) rs) as [rr |] eqn:Er; [| discriminate]. destruct (PM.find (key w) rs) as [rw |] eqn:Ew; [| discriminate].
    apply row_found in Er as (e & He & ->). apply row_found in Ew as (g & Hg & ->).
    destruct (guarded (in_pair i j r) (row_at tr r e) (row_at tr w g)) as [seen |] eqn:Eguard; [| discriminate].
    rewrite !andb_true_iff, !negb_true_iff, Nat.eqb_neq, orb_true_iff in H.
    destruct H as [[[[[Hkr Hkw] Hrw] Hseen] Hfirst] Hsecond].
    assert (Hin : In w p) by (eapply known_in; eassumption).
    assert (Hnot : seen <> Some w) by (intro E; rewrite E in Hseen; simpl in Hseen; rewrite Nat.eqb_refl in Hseen; discriminate).
    assert (Hlast : (exists n, seen = Some n /\ before p w n) -> False).
    { intros (n & -> & Hb). rewrite IH2 in Hsecond; [discriminate |]. apply assume_true; [assumption | assumption |].
      unfold precedes. destruct (in_pair i j n); [eapply before_in_l; eassumption | assumption]. }
    destruct (in_pair i j r) eqn:Epair.
    + apply Hlast. apply (writer_order p r w e g); auto; now rewrite Epair.
    + destruct Hkr as [Hkr | Hkr]; [discriminate |]. assert (Hinr : In r p) by (eapply known_in; eassumption).
      destruct (before_total p r w Hinr Hin Hrw) as [Hb | (q & rest & E & Hwq)].
      * rewrite IH1 in Hfirst; [discriminate |]. apply assume_true; [assumption | assumption |].
        unfold precedes. destruct (in_pair i j w); assumption.
      * apply Hlast. apply (writer_order q r w e g); eauto. now rewrite Epair.
Qed.

Lemma at_first_true e f :
  nth_error tr i = Some e -> nth_error tr j = Some f -> true_facts (at_first (row_at tr i e) (row_at tr j f)).
Proof.
  intros He Hf.
  assert (Hbefore : forall n g, in_pair i j n = true -> nth_error tr n = Some g -> forall k h, nth_error tr k = Some h ->
    thread h = thread g -> position tr k (thread h) < position tr n (thread g) -> In k p).
  { intros n g Hn Hg k h Hh Ht Hpos. pose proof (thread_precedes k n h g Hh Hg Ht Hpos (or_introl Hn)) as H. eapply precedes_in. eassumption. }
  split; [| intros a b []]. intros k g Hg. simpl. rewrite !count_in_add.
  destruct (Pos.eqb_spec (thread e) (thread g)) as [E | _]; [intro; eapply (Hbefore i e); eauto; unfold in_pair; now rewrite Nat.eqb_refl |].
  destruct (Pos.eqb_spec (thread f) (thread g)) as [E | _];
    [intro; eapply (Hbefore j f); eauto; unfold in_pair; rewrite Nat.eqb_refl; apply orb_true_r |].
  unfold count_in. rewrite PM.gempty. lia.
Qed.

Lemma check_certificate_refuses c : check_certificate rs table i j c = false.
Proof.
  unfold check_certificate. destruct (PM.find (key i) rs) as [ri |] eqn:Ei; [| reflexivity].
  destruct (PM.find (key j) rs) as [rj |] eqn:Ej; [| reflexivity].
  apply row_found in Ei as (e & He & ->). apply row_found in Ej as (f & Hf & ->).
  apply nothing_is_refuted. now apply at_first_true.
Qed.

End Soundness.

Theorem certificate_excludes tr i j c :
  check_certificate (rows_of tr) (ends_of tr) i j c = true -> ~ predictable tr i j.
Proof. intros H (p & Hp). rewrite (check_certificate_refuses tr i j p Hp c) in H. discriminate. Qed.
