(** * Bigger steps

    Section 5.1 of "Verifying Dynamic Race Detection".  A bigger step executes an instruction together with its instrumentation.  Every
    execution of an instrumented program is one of bigger steps, and then some sections that have been begun.

    The proof does not permute executions.  It keeps, in addition to the present state, the state in which each thread is at
    the beginning of its section ([suffix_of], the paper's Definition 4): to each thread, the present state equals the one after
    it has executed its section alone from there, and by ownership no thread sees more than that.  When a section is complete, its
    steps count as one bigger step; the steps of other threads in their sections count as later ones.

    - [big_step], [big_error]; [big_step_steps] is Lemma 3.
    - [suffix_step]: Lemma 7.  [reordering]: Lemma 8.  [reordering_final]: Lemma 9.  [reordering_error]: Lemma 10.

    C++ twin: none. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace Mini Instrument Ownership Solo.

Section BiggerStep.

Context (ids : list tid).

(** ** Bigger steps *)

(** A state in which every thread is at the beginning of a section, and the source code that each has left. *)
Record config := Config { left : tid -> option code; now : state }.

(** The source code that is left after thread [t] has executed [i] and has [c] left. *)
Definition advance (P : tid -> option code) (t : tid) (i : instr) (c : code) : tid -> option code :=
  fun u =>
    if Pos.eq_dec u t then Some c
    else match i with
         | Spawn v body => if Pos.eq_dec u v then Some body else P u
         | _ => P u
         end.

(** Thread [t] executes an instruction of the source and its instrumentation, alone. *)
Definition big_step (p : config) (t : tid) (q : config) : Prop :=
  exists i c G, left p t = Some (i :: c) /\ pool (now p) t = Some (instrument_thread ids t (i :: c), G) /\
    solo anything t (length (section ids t i)) (now p) (now q) /\ left q = advance (left p) t i c.

(** Thread [t], alone, fails an assertion in the section that it is at. *)
Definition big_error (p : config) (t : tid) : Prop :=
  exists i c G n b, left p t = Some (i :: c) /\ pool (now p) t = Some (instrument_thread ids t (i :: c), G) /\
    n < length (section ids t i) /\ solo anything t n (now p) b /\ step b t None Error.

Inductive big_steps (p0 : config) : config -> Prop :=
| big_steps_nil : big_steps p0 p0
| big_steps_snoc p t q : big_steps p0 p -> big_step p t q -> big_steps p0 q.

(** Lemma 3. *)
Lemma big_step_steps p t q : big_step p t q -> steps (now p) (now q).
Proof. intros (i & c & G & _ & _ & H & _). eapply solo_steps; eassumption. Qed.

Lemma big_steps_steps p q : big_steps p q -> steps (now p) (now q).
Proof. induction 1; [constructor |]. eauto using steps_trans, big_step_steps. Qed.

Lemma big_error_steps p t : big_error p t -> exists b, steps (now p) b /\ step b t None Error.
Proof. intros (i & c & G & n & b & _ & _ & _ & H & He). eauto using solo_steps. Qed.

Lemma big_step_functional p t q r : big_step p t q -> big_step p t r -> q = r.
Proof.
  intros (i & c & G & H1 & _ & H2 & H3) (j & d & K & H4 & _ & H5 & H6). rewrite H1 in H4. injection H4 as <- <-.
  destruct q as [Q x], r as [R y]. simpl in *. f_equal; [congruence | eapply solo_functional; eassumption].
Qed.

Lemma big_step_no_error p t q : big_step p t q -> big_error p t -> False.
Proof.
  intros (i & c & G & H1 & _ & H2 & _) (j & d & K & n & b & H4 & _ & Hn & H5 & He). rewrite H1 in H4. injection H4 as <- <-.
  destruct (solo_prefix _ _ _ (S n) _ _ H2) as (b' & Hb' & _); [lia |].
  inversion Hb' as [| m x y k e K' y' Hs Hp _ Hk]; subst.
  rewrite (solo_functional _ _ _ _ _ _ _ Hs H5) in *. destruct He as (k' & e' & K2 & Hp' & _ & He').
  rewrite Hp in Hp'. injection Hp' as <- <- <-. discriminate (effect_functional _ _ _ _ _ _ _ Hk He').
Qed.

(** ** Sections *)

Lemma section_ends t i : exists q l, section ids t i = q ++ [l] /\ forall j, In j q -> ~ releases j.
Proof.
  assert (Hmove : forall f (g : tid -> code), (forall u j, In j (g u) -> ~ releases j) -> forall j, In j (flat_map g f) -> ~ releases j).
  { intros f g H j Hj. apply in_flat_map in Hj as (u & _ & Hj). eauto. }
  assert (H1 : forall a b j, In j (set_clock ids a b) -> ~ releases j).
  { intros a b. apply Hmove. intros u j [<- | [<- | []]]; simpl; auto. }
  assert (H2 : forall a b j, In j (merge ids a b) -> ~ releases j).
  { intros a b. apply Hmove. intros u j [<- | [<- | [<- | []]]]; simpl; auto. }
  assert (H3 : forall a b j, In j (hb_check ids a b) -> ~ releases j).
  { intros a b. apply Hmove. intros u j [<- | [<- | [<- | []]]]; simpl; auto. }
  assert (Hmerge : forall k a b, ~ releases k -> exists q l, k :: merge ids a b = q ++ [l] /\ forall j, In j q -> ~ releases j).
  { intros k a b Hk. destruct (@exists_last _ (k :: merge ids a b)) as (q & l & E); [discriminate |].
    exists q, l. split; [assumption |]. intros j Hj. assert (Hin : In j (k :: merge ids a b)) by (rewrite E; apply in_or_app; auto).
    destruct Hin as [<- | Hin]; eauto. }
  assert (Hone : exists q l, [i] = q ++ [l] /\ forall j, In j q -> ~ releases j) by (exists [], i; simpl; auto).
  destruct i as [a e | a l | e l | m | m | u body | u | e1 e2]; simpl; try exact Hone.
  - destruct l; try exact Hone. eexists (Lock (Guard x) :: load_checks ids t x ++ [Load a (Shared x)]), _.
    split; [simpl; rewrite <- app_assoc; reflexivity |]. unfold load_checks.
    intros j [<- | Hj]; [simpl; auto |]. rewrite !in_app_iff in Hj. simpl in Hj.
    destruct Hj as [[Hj | [<- | [<- | []]]] | [<- | []]]; simpl; eauto.
  - destruct l; try exact Hone. eexists (Lock (Guard x) :: store_checks ids t x ++ [Store e (Shared x)]), _.
    split; [simpl; rewrite <- app_assoc; reflexivity |]. unfold store_checks.
    intros j [<- | Hj]; [simpl; auto |]. rewrite !in_app_iff in Hj. simpl in Hj.
    destruct Hj as [[Hj | [Hj | [<- | [<- | []]]]] | [<- | []]]; simpl; eauto.
  - destruct m; [| exact Hone]. apply Hmerge. simpl. auto.
  - destruct m; [| exact Hone]. eexists (set_clock ids (ThreadClock t) (LockClock m) ++ increment (ThreadClock t t)), _.
    split; [rewrite <- app_assoc; reflexivity |]. intros j Hj. rewrite in_app_iff in Hj. simpl in Hj.
    destruct Hj as [Hj | [<- | [<- | []]]]; simpl; eauto.
  - eexists (merge ids (ThreadClock t) (ThreadClock u) ++ increment (ThreadClock t t)), _.
    split; [rewrite <- app_assoc; reflexivity |]. intros j Hj. rewrite in_app_iff in Hj. simpl in Hj.
    destruct Hj as [Hj | [<- | [<- | []]]]; simpl; eauto.
  - apply Hmerge. simpl. auto.
Qed.

Lemma section_nonempty t i : length (section ids t i) <> 0.
Proof. destruct (section_ends t i) as (q & l & -> & _). rewrite app_length. simpl. lia. Qed.

(** A thread that is spawned runs instrumented code. *)
Lemma section_spawns t i u body :
  In (Spawn u body) (section ids t i) -> exists b, i = Spawn u b /\ body = instrument_thread ids u b.
Proof.
  assert (Hmove : forall f (g : tid -> code), (forall v, ~ In (Spawn u body) (g v)) -> ~ In (Spawn u body) (flat_map g f)).
  { intros f g H Hj. apply in_flat_map in Hj as (v & _ & Hj). eapply H; eauto. }
  assert (H1 : forall a b, ~ In (Spawn u body) (set_clock ids a b)).
  { intros a b. apply Hmove. simpl. intuition discriminate. }
  assert (H2 : forall a b, ~ In (Spawn u body) (merge ids a b)).
  { intros a b. apply Hmove. simpl. intuition discriminate. }
  assert (H3 : forall a b, ~ In (Spawn u body) (hb_check ids a b)).
  { intros a b. apply Hmove. simpl. intuition discriminate. }
  destruct i as [a e | a l | e l | m | m | v b | v | e1 e2]; simpl; try (intuition discriminate).
  - destruct l; try (simpl; intuition discriminate). unfold load_checks. simpl. rewrite !in_app_iff. simpl.
    intros [H | [[H | [H | [H | []]]] | [H | [H | []]]]]; try discriminate. destruct (H3 _ _ H).
  - destruct l; try (simpl; intuition discriminate). unfold store_checks. simpl. rewrite !in_app_iff. simpl.
    intros [H | [[H | [H | [H | [H | []]]]] | [H | [H | []]]]]; try discriminate; destruct (H3 _ _ H).
  - destruct m; simpl; [| intuition discriminate]. intros [H | H]; [discriminate | destruct (H2 _ _ H)].
  - destruct m; simpl; [| intuition discriminate]. rewrite !in_app_iff. simpl.
    intros [H | [H | [H | [H | []]]]]; try discriminate. destruct (H1 _ _ H).
  - rewrite !in_app_iff. simpl. intros [H | [H | [H | [H | []]]]]; try discriminate; [destruct (H2 _ _ H) |].
    injection H as <- <-. exists b. auto.
  - intros [H | H]; [discriminate | destruct (H2 _ _ H)].
Qed.

(** ** Instrumented suffixes *)

Definition reach (s : state) (t : tid) (r : resource) : Prop := owns s t r \/ shared s r.

(** Thread [t], alone, comes from the beginning of its section in [b], where it has [c] left, to where it is in [T]. *)
Definition within (A : resource -> Prop) (t : tid) (c : code) (b T : state) : Prop :=
  exists G n, pool b t = Some (instrument_thread ids t c, G) /\ solo A t n b T /\
  match c with
  | [] => n = 0
  | i :: _ => n < length (section ids t i)
  end.

(** To thread [t] the state [s] looks like [T]; to the others it looks like [b]. *)
Definition appears (s b : state) (t : tid) (T : state) : Prop :=
  forall r, (owns s t r -> look T r = look s r) /\ (~ owns s t r -> look T r = look b r).

(** Definition 4, with memory. *)
Record suffix_of (s : state) (p : config) : Prop := {
  so_disciplined : disciplined s;
  so_thread : forall t, pool s t <> None ->
    exists c T, left p t = Some c /\ within (reach s t) t c (now p) T /\ appears s (now p) t T;
  so_rest : forall r, (forall t, ~ owns s t r) -> look s r = look (now p) r
}.

Lemma finished_owner s p t r : suffix_of s p -> finished s t -> owns s t r -> look s r = look (now p) r.
Proof.
  intros [Hd Ht _] [G Hp] Ho. destruct (Ht t) as (c & T & _ & (G0 & n & Hc & Hs & Hn) & Ha); [congruence |].
  assert (HT : T = now p).
  { destruct (solo_code _ _ _ _ _ _ _ Hs Hc) as (_ & G' & Hcode).
    assert (Hown : owns s t (RThread t)) by (exists [], G; split; [assumption | left; reflexivity]).
    pose proof (proj1 (Ha (RThread t)) Hown) as E. simpl in E. rewrite Hp, Hcode in E. injection E as E _.
    destruct c as [| i c]; [subst n; inversion Hs; reflexivity |].
    apply (f_equal (@length instr)) in E. rewrite skipn_length in E. simpl in E. rewrite app_length in E. lia. }
  rewrite <- HT. symmetry. apply (Ha r), Ho.
Qed.

Lemma finished_unchanged s p r : suffix_of s p -> shared s r -> look s r = look (now p) r.
Proof.
  intros Hso. unfold shared. destruct (guardian_of r) as [m | u] eqn:Eg; [tauto |]. intro Hu.
  apply (finished_owner s p u r Hso Hu). destruct Hu as [G Hu]. unfold owns. rewrite Eg. exists [], G.
  split; [assumption | left; reflexivity].
Qed.

Lemma skipn_app_last (n : nat) (q : code) l rest i c :
  skipn n ((q ++ [l]) ++ rest) = i :: c -> n < length (q ++ [l]) ->
  (S n < length (q ++ [l]) /\ In i q) \/ (S n = length (q ++ [l]) /\ i = l /\ c = rest).
Proof.
  revert n. induction q as [| j q IH]; intros n H Hn; simpl in *.
  - replace n with 0 in * by lia. simpl in H. injection H as -> ->. right. auto.
  - destruct n as [| n]; simpl in H.
    + injection H as -> _. left. rewrite app_length. simpl. split; [lia | auto].
    + destruct (IH n H) as [[H1 H2] | (H1 & H2 & H3)]; [lia | left; split; [lia | auto] | right; split; [lia | auto]].
Qed.

Section Step.

Context (s : state) (p : config) (Hso : suffix_of s p).
Context (t : tid) (i : instr) (c : code) (G : env) (Hp : pool s t = Some (i :: c, G)).
Context (src : code) (T : state) (Hleft : left p t = Some src).
Context (HT : within (reach s t) t src (now p) T) (Ha : appears s (now p) t T).

Let b := now p.
Let Hd := so_disciplined _ _ Hso.

Lemma unowned_lock r m : guardian_of r = ByMutex m -> held s m = None -> look s r = look b r /\ look T r = look b r.
Proof.
  intros Hg Hm. assert (Hno : forall u, ~ owns s u r) by (intro u; unfold owns; rewrite Hg, Hm; discriminate).
  split; [apply (so_rest _ _ Hso), Hno | apply Ha, Hno].
Qed.

(** The memory that the thread accesses is the same in both states. *)
Lemma touched_same o r : effect t i c G s o -> touches t i r -> look s r = look T r.
Proof.
  intros He Hr. destruct (touches_owned s t i c G Hd Hp o r He Hr) as [Ho | [[Hs _] | (m & _ & -> & Hm)]].
  - symmetry. apply Ha, Ho.
  - rewrite (finished_unchanged _ _ _ Hso Hs). symmetry. apply Ha. eapply shared_not_owned; eassumption.
  - destruct (unowned_lock (RMutex m) m eq_refl Hm). congruence.
Qed.

Lemma pool_T : pool T t = Some (i :: c, G).
Proof.
  pose proof (proj1 (Ha (RThread t)) (owns_itself s t i c G Hp)) as E. simpl in E. congruence.
Qed.

(** Where the thread is in its section. *)
Lemma position : exists k d K n, left p t = Some (k :: d) /\
  pool b t = Some (instrument_thread ids t (k :: d), K) /\ solo (reach s t) t n b T /\
  ((S n < length (section ids t k) /\ ~ releases i /\ In i (section ids t k)) \/
   (S n = length (section ids t k) /\ c = instrument_thread ids t d /\ In i (section ids t k))).
Proof.
  destruct HT as (K & n & Hb & Hs & Hn). destruct (solo_code _ _ _ _ _ _ _ Hs Hb) as (_ & G' & Hcode).
  rewrite pool_T in Hcode. injection Hcode as Hcode _.
  destruct src as [| k d]; [subst n; discriminate |]. exists k, d, K, n. split; [assumption |]. split; [assumption |]. split; [assumption |].
  simpl in Hcode. destruct (section_ends t k) as (q & l & Eq & Hq). rewrite Eq in *. symmetry in Hcode.
  destruct (skipn_app_last _ _ _ _ _ _ Hcode Hn) as [[H1 H2] | (H1 & -> & H3)].
  - left. split; [assumption |]. split; [auto | apply in_or_app; auto].
  - right. split; [assumption |]. split; [assumption | apply in_or_app; simpl; auto].
Qed.

Context (s' : state) (He : effect t i c G s (Running s')).

(** A resource of another thread, or of all, is not written. *)
Lemma others_not_written u r : u <> t -> owns s u r -> ~ writes t i r.
Proof.
  intros Hne Ho Hw. destruct (writes_owned s t i c G Hd Hp _ r He Hw) as [Ht | (m & _ & -> & Hm)].
  - apply Hne. eapply owner_is_unique; eassumption.
  - unfold owns in Ho. simpl in Ho. congruence.
Qed.

Lemma shared_not_written r : shared s r -> ~ writes t i r.
Proof.
  intros Hs Hw. destruct (writes_owned s t i c G Hd Hp _ r He Hw) as [Ht | (m & _ & -> & Hm)].
  - eapply shared_not_owned; eassumption.
  - exact Hs.
Qed.

Context (T' : state) (HeT : effect t i c G T (Running T')) (Htouch : forall r, touches t i r -> look s' r = look T' r).

Lemma self_appears r : owns s' t r -> look T' r = look s' r.
Proof.
  intro Ho. destruct (touches_dec t i r) as [Hr | Hr]; [symmetry; auto |].
  assert (Hnw : ~ writes t i r) by (intro; apply Hr, writes_touches; assumption).
  rewrite (effect_local _ _ _ _ _ _ r HeT Hnw), (effect_local _ _ _ _ _ _ r He Hnw).
  destruct (self_gains s t i c G Hp s' He r Ho) as [Ho' | (m & _ & Hg & Hm)]; [apply Ha, Ho' |].
  destruct (unowned_lock r m Hg Hm). congruence.
Qed.

Lemma unchanged_T r : ~ owns s t r -> ~ writes t i r -> look T' r = look b r.
Proof. intros Ho Hw. rewrite (effect_local _ _ _ _ _ _ r HeT Hw). apply Ha, Ho. Qed.

Lemma touched_reach r : touches t i r -> ~ releases i -> reach s' t r.
Proof.
  intros Hr Hrel. destruct (touches_owned s t i c G Hd Hp _ r He Hr) as [Ho | [[Hs _] | (m & Hi & -> & Hm)]].
  - left. eapply self_keeps; eassumption.
  - right. eapply shared_stays; eassumption.
  - left. unfold owns. simpl. clear - He Hi. subst i. inversion He; subst. simpl. unfold hold. now rewrite set_same.
Qed.

Lemma reach_stays u r : u <> t \/ ~ releases i -> reach s u r -> reach s' u r.
Proof.
  intros Hu [Ho | Hs]; [left | right; eapply shared_stays; eassumption].
  destruct (Pos.eq_dec u t) as [-> | Hne]; [eapply self_keeps; try eassumption; tauto | eapply others_keep; eassumption].
Qed.

(** Inside of its section. *)
Lemma step_inside n k d K :
  left p t = Some (k :: d) -> pool b t = Some (instrument_thread ids t (k :: d), K) -> solo (reach s t) t n b T ->
  S n < length (section ids t k) -> ~ releases i -> suffix_of s' p.
Proof.
  intros Hl Hb Hs Hn Hrel. split.
  - eapply disciplined_step; eassumption.
  - intros u Hu. destruct (Pos.eq_dec u t) as [-> | Hne].
    + exists (k :: d), T'. split; [assumption |]. split.
      * exists K, (S n). split; [assumption |]. split; [| assumption].
        econstructor; [eapply solo_mono; [| exact Hs] | apply pool_T | | exact HeT]; auto using reach_stays.
        intros r Hr. apply touched_reach; assumption.
      * intro r. split; [apply self_appears |]. intro Ho.
        assert (Ho' : ~ owns s t r) by (intro H; apply Ho; eapply self_keeps; eassumption).
        apply unchanged_T; [assumption |]. intro Hw.
        destruct (writes_owned s t i c G Hd Hp _ r He Hw) as [H | (m & Hi & -> & Hm)]; [contradiction |].
        apply Ho. unfold owns. simpl. clear - He Hi. subst i. inversion He; subst. simpl. unfold hold. now rewrite set_same.
    + destruct (pool_other s t i c G s' He u Hne) as [E | (body & Hi & _)]; [| rewrite Hi in Hrel; simpl in Hrel; tauto].
      destruct (so_thread _ _ Hso u) as (su & U & Hlu & (L & m & H1 & H2 & H3) & HaU); [congruence |].
      exists su, U. split; [assumption |]. split.
      * exists L, m. split; [assumption |]. split; [| assumption]. eapply solo_mono; [| exact H2]. auto using reach_stays.
      * intro r. split; intro Ho.
        -- destruct (others_gain s t i c G Hp s' He u r Hne Ho) as [Ho' | (_ & E' & _)]; [| congruence].
           rewrite (effect_local _ _ _ _ _ _ r He) by (eapply others_not_written; eassumption). apply HaU, Ho'.
        -- apply HaU. intro Ho'. apply Ho. eapply others_keep; eassumption.
  - intros r Hno.
    assert (Hns : forall u, ~ owns s u r).
    { intros u Ho. destruct (Pos.eq_dec u t) as [-> | Hne]; apply (Hno _ (self_keeps s t i c G Hp s' He r Hrel Ho))
        || apply (Hno _ (others_keep s t i c G s' He u r Hne Ho)). }
    rewrite (effect_local _ _ _ _ _ _ r He); [apply (so_rest _ _ Hso), Hns |]. intro Hw.
    destruct (writes_owned s t i c G Hd Hp _ r He Hw) as [H | (m & Hi & -> & Hm)]; [exact (Hns _ H) |].
    apply (Hno t). unfold owns. simpl. clear - He Hi. subst i. inversion He; subst. simpl. unfold hold. now rewrite set_same.
Qed.

(** The last step of its section. *)
Lemma step_completes n k d K :
  left p t = Some (k :: d) -> pool b t = Some (instrument_thread ids t (k :: d), K) -> solo (reach s t) t n b T ->
  S n = length (section ids t k) -> c = instrument_thread ids t d -> In i (section ids t k) ->
  let q := Config (advance (left p) t k d) T' in big_step p t q /\ suffix_of s' q.
Proof.
  intros Hl Hb Hs Hn Hc Hin q. split.
  { exists k, d, K. split; [assumption |]. split; [assumption |]. split; [| reflexivity].
    rewrite <- Hn. econstructor; [eapply solo_anything, Hs | apply pool_T | | exact HeT]. unfold anything. auto. }
  assert (Hnext : forall u, u <> t -> pool s u <> None -> left q u = left p u).
  { intros u Hne Hu. simpl. unfold advance. destruct (Pos.eq_dec u t) as [| _]; [contradiction |].
    destruct k; try reflexivity. destruct (Pos.eq_dec u u0) as [-> |]; [| reflexivity].
    destruct (section_ends t (Spawn u0 body)) as (pre & l & Epre & Hpre).
    assert (Ei : i = Spawn u0 (instrument_thread ids u0 body)).
    { destruct (solo_code _ _ _ _ _ _ _ Hs Hb) as (_ & G' & Hcode). rewrite pool_T in Hcode. injection Hcode as Hcode _.
      rewrite Hc in Hcode. simpl in Hcode. fold (instrument_thread ids u0 body) in Hcode.
      match type of Hcode with _ = skipn _ ?l => replace l with ((merge ids (ThreadClock t) (ThreadClock u0) ++
        increment (ThreadClock t t)) ++ Spawn u0 (instrument_thread ids u0 body) :: instrument_thread ids t d) in Hcode
        by (rewrite <- !app_assoc; reflexivity) end.
      rewrite skipn_app in Hcode. simpl in Hn.
      assert (Elen : n = length (merge ids (ThreadClock t) (ThreadClock u0) ++ increment (ThreadClock t t))).
      { rewrite !app_length in *. simpl in *. lia. }
      rewrite Elen, skipn_all, Nat.sub_diag in Hcode. simpl in Hcode. now injection Hcode. }
    exfalso. apply Hu. clear - He Ei. subst i. inversion He; subst. assumption. }
  split.
  - eapply disciplined_step; eassumption.
  - intros u Hu. destruct (Pos.eq_dec u t) as [-> | Hne].
    + exists d, T'. split; [simpl; unfold advance; destruct (Pos.eq_dec t t); [reflexivity | contradiction] |]. split.
      * pose proof (pool_after T t i c G T' HeT) as Hpa. rewrite Hc in Hpa. do 2 eexists. split; [exact Hpa |].
        split; [constructor |]. destruct d; [reflexivity |]. pose proof (section_nonempty t i0). lia.
      * intro r. split; [apply self_appears | reflexivity].
    + destruct (pool_other s t i c G s' He u Hne) as [E | (body & Hi & Eu & Eu')].
      * destruct (so_thread _ _ Hso u) as (su & U & Hlu & (L & m & H1 & H2 & H3) & HaU); [congruence |].
        assert (Hagree : forall r, reach s u r -> look b r = look T' r).
        { intros r Hr. symmetry. apply unchanged_T.
          - destruct Hr as [Ho | Hsh]; [intro Ht; apply Hne; eapply owner_is_unique; eassumption | eapply shared_not_owned; eassumption].
          - destruct Hr as [Ho | Hsh]; [eapply others_not_written; eassumption | apply shared_not_written, Hsh]. }
        assert (Hsu : owns s u (RThread u)).
        { destruct (pool s u) as [[cu Gu] |] eqn:Eu; [| congruence]. exists cu, Gu. split; [assumption | left; reflexivity]. }
        destruct (solo_frame _ _ _ _ _ T' H2 Hagree) as (U' & HU' & HUeq).
        exists su, U'. split; [rewrite Hnext by congruence; assumption |]. split.
        -- exists L, m. split; [| split; [| assumption]].
           ++ pose proof (Hagree (RThread u) (or_introl Hsu)) as Ep. injection Ep as Ep. exact (eq_trans (eq_sym Ep) H1).
           ++ eapply solo_mono; [| exact HU']. auto using reach_stays.
        -- intro r. split; intro Ho.
           ++ destruct (others_gain s t i c G Hp s' He u r Hne Ho) as [Ho' | (_ & E' & _)]; [| congruence].
              rewrite <- HUeq by (left; assumption).
              rewrite (effect_local _ _ _ _ _ _ r He) by (eapply others_not_written; eassumption). apply HaU, Ho'.
           ++ assert (Hou : ~ owns s u r) by (intro H; apply Ho; eapply others_keep; eassumption).
              destruct (shared_dec s r) as [Hsh | Hsh].
              ** rewrite <- HUeq by (right; assumption). rewrite <- Hagree by (right; assumption). apply HaU, Hou.
              ** eapply solo_local; [exact HU' |]. intros [H | H]; contradiction.
      * destruct (section_spawns t k u body) as (body0 & Ek & Ebody); [rewrite <- Hi; assumption |].
        exists body0, T'. split; [| split].
        -- simpl. unfold advance. destruct (Pos.eq_dec u t) as [| _]; [contradiction |]. rewrite Ek.
           destruct (Pos.eq_dec u u); [reflexivity | contradiction].
        -- exists env0, 0. split; [| split; [constructor | destruct body0; [reflexivity | pose proof (section_nonempty u i0); lia]]].
           assert (Hr : touches t i (RThread u)) by (right; rewrite Hi; reflexivity).
           pose proof (Htouch _ Hr) as Ep. injection Ep as Ep. rewrite Ebody in Eu'. exact (eq_trans (eq_sym Ep) Eu').
        -- intro r. split; [intro Ho | reflexivity].
           destruct (touches_dec t i r) as [Hr | Hr]; [symmetry; auto |].
           assert (Hnw : ~ writes t i r) by (intro; apply Hr, writes_touches; assumption).
           rewrite (effect_local _ _ _ _ _ _ r HeT Hnw), (effect_local _ _ _ _ _ _ r He Hnw).
           destruct (others_gain s t i c G Hp s' He u r Hne Ho) as [Ho' | (Ho' & _)]; [| apply Ha, Ho'].
           exfalso. unfold owns in Ho'. destruct (guardian_of r) as [m | v].
           ++ exact (holders_live _ Hd _ _ Ho' Eu).
           ++ destruct Ho' as (cu & Gu & H & _). congruence.
  - intros r Hno. change (look s' r = look T' r). destruct (touches_dec t i r) as [Hr | Hr]; [auto |].
    assert (Hnw : ~ writes t i r) by (intro; apply Hr, writes_touches; assumption).
    rewrite (effect_local _ _ _ _ _ _ r HeT Hnw), (effect_local _ _ _ _ _ _ r He Hnw).
    destruct (owns_dec s t r) as [Ho | Ho]; [symmetry; apply Ha, Ho |].
    rewrite (proj2 (Ha r) Ho). apply (so_rest _ _ Hso). intros u Hou.
    destruct (Pos.eq_dec u t) as [-> | Hne]; [contradiction |]. apply (Hno u). eapply others_keep; eassumption.
Qed.

End Step.

(** Lemma 7, a step at a time: a step stays within the sections that have been begun, or completes one. *)
Theorem suffix_step s p t o s' :
  suffix_of s p -> step s t o (Running s') ->
  suffix_of s' p \/ exists q, big_step p t q /\ suffix_of s' q.
Proof.
  intros Hso (i & c & G & Hp & _ & He).
  destruct (so_thread _ _ Hso t) as (src & T & Hl & HT & Ha); [congruence |].
  pose proof (fun r => touched_same s p Hso t i c G Hp T Ha (Running s') r He) as Hsame.
  destruct (effect_frame t i c G s T (Running s') He) as (T' & HeT & Htouch); [congruence | assumption |].
  destruct (position s p t i c G Hp src T Hl HT Ha) as (k & d & K & n & Hk & Hb & Hs & [(Hn & Hrel & _) | (Hn & Hc & Hin)]).
  - left. eapply step_inside; eassumption.
  - right. eexists. eapply step_completes; eassumption.
Qed.

Theorem suffix_error s p t o : suffix_of s p -> step s t o Error -> big_error p t.
Proof.
  intros Hso (i & c & G & Hp & Ho & He).
  destruct (so_thread _ _ Hso t) as (src & T & Hl & HT & Ha); [congruence |].
  pose proof (fun r => touched_same s p Hso t i c G Hp T Ha Error r He) as Hsame.
  pose proof (effect_frame t i c G s T Error He) as HeT. simpl in HeT.
  assert (Hne : pool s t <> None) by congruence. specialize (HeT Hne Hsame).
  destruct (position s p t i c G Hp src T Hl HT Ha) as (k & d & K & n & Hk & Hb & Hs & Hn).
  exists k, d, K, n, T. split; [assumption |]. split; [assumption |]. split; [lia |]. split; [eapply solo_anything, Hs |].
  exists i, c, G. split; [eapply pool_T; eassumption |]. split; [| assumption]. inversion He; subst; reflexivity.
Qed.

(** Every thread is at the beginning of a section. *)
Definition at_sections (p : config) : Prop :=
  forall t c G, pool (now p) t = Some (c, G) -> exists d, left p t = Some d /\ c = instrument_thread ids t d.

Lemma suffix_refl p : disciplined (now p) -> at_sections p -> suffix_of (now p) p.
Proof.
  intros Hd Hs. split; [assumption | | reflexivity]. intros t Ht.
  destruct (pool (now p) t) as [[c G] |] eqn:E; [| congruence]. destruct (Hs _ _ _ E) as (d & Hl & ->).
  exists d, (now p). split; [assumption |]. split; [| intro r; auto].
  exists G, 0. split; [assumption |]. split; [constructor |]. destruct d; [reflexivity |].
  pose proof (section_nonempty t i). lia.
Qed.

(** Lemma 8: an execution is one of bigger steps, and sections that have been begun. *)
Theorem reordering p0 s :
  disciplined (now p0) -> at_sections p0 -> steps (now p0) s -> exists p, big_steps p0 p /\ suffix_of s p.
Proof.
  intros Hd Hs H. induction H as [| s t o s' H IH Hstep].
  - exists p0. split; [constructor | apply suffix_refl; assumption].
  - destruct IH as (p & Hb & Hso). destruct (suffix_step _ _ _ _ _ Hso Hstep) as [Hso' | (q & Hbig & Hso')].
    + exists p. auto.
    + exists q. split; [econstructor; eassumption | assumption].
Qed.

Lemma owned_dec s l r : (exists t, In t l /\ owns s t r) \/ (forall t, In t l -> ~ owns s t r).
Proof.
  induction l as [| t l [(u & Hu & Ho) | Hno]]; [right; intros t [] | left; exists u; simpl; auto |].
  destruct (owns_dec s t r) as [Ho | Ho]; [left; exists t; simpl; auto | right]. intros u [<- | Hu]; auto.
Qed.

(** ... which come after the bigger steps.  [l] names all threads. *)
Theorem suffix_reached s p l :
  suffix_of s p -> NoDup l -> (forall t, pool s t <> None -> In t l) ->
  exists s', steps (now p) s' /\ forall r, look s' r = look s r.
Proof.
  intros Hso Hl Hall. pose proof (so_disciplined _ _ Hso) as Hd.
  assert (Hpool : forall t r, owns s t r -> pool s t <> None).
  { intros t r Ho Hp. unfold owns in Ho. destruct (guardian_of r); [exact (holders_live _ Hd _ _ Ho Hp) |].
    destruct Ho as (c & G & H & _). congruence. }
  assert (H : exists s', steps (now p) s' /\ forall r,
    (forall t, In t l -> owns s t r -> look s' r = look s r) /\
    ((forall t, In t l -> ~ owns s t r) -> look s' r = look (now p) r)).
  { clear Hall. induction Hl as [| t l Hnot Hl IH].
    - exists (now p). split; [constructor |]. intro r. split; [intros t [] | reflexivity].
    - destruct IH as (m & Hm & Hlook). destruct (pool s t) as [[c G] |] eqn:Ep.
      2: { exists m. split; [assumption |]. intro r. destruct (Hlook r) as [H1 H2]. split.
           - intros u [<- | Hu] Ho; [destruct (Hpool _ _ Ho Ep) | eauto].
           - intros Hno. apply H2. intros u Hu. apply Hno. right. assumption. }
      destruct (so_thread _ _ Hso t) as (src & T & _ & (K & n & _ & Hs & _) & Ha); [congruence |].
      assert (Hshared : forall r, shared s r -> look m r = look (now p) r).
      { intros r Hsh. rewrite <- (finished_unchanged s p r Hso Hsh).
        destruct (owned_dec s l r) as [(u & Hu & Ho) | Hno]; [eapply Hlook; eassumption |].
        rewrite (proj2 (Hlook r) Hno). symmetry. apply finished_unchanged; assumption. }
      assert (Hagree : forall r, reach s t r -> look (now p) r = look m r).
      { intros r [Ht | Hsh]; symmetry; [| auto]. apply Hlook. intros u Hu Ho.
        apply Hnot. now rewrite (owner_is_unique _ _ _ _ Hd Ht Ho). }
      destruct (solo_frame _ _ _ _ _ m Hs Hagree) as (m' & Hm' & Heq).
      exists m'. split; [eapply steps_trans; [exact Hm | eapply solo_steps; exact Hm'] |]. intro r.
      assert (Hother : ~ owns s t r -> look m' r = look m r).
      { intro Ho. destruct (shared_dec s r) as [Hsh | Hsh].
        - rewrite <- Heq by (right; assumption). rewrite (proj2 (Ha r) Ho). symmetry. auto.
        - eapply solo_local; [exact Hm' |]. intros [H | H]; contradiction. }
      destruct (owns_dec s t r) as [Ho | Ho].
      + split; [| intro Hno; destruct (Hno t (or_introl eq_refl) Ho)].
        intros _ _ _. rewrite <- Heq by (left; assumption). apply Ha, Ho.
      + rewrite (Hother Ho). split.
        * intros u [<- | Hu] Hou; [contradiction | eapply Hlook; eassumption].
        * intros Hno. apply Hlook. intros u Hu. apply Hno. right. assumption. }
  destruct H as (s' & Hs & Hlook). exists s'. split; [assumption |]. intro r.
  destruct (owned_dec s l r) as [(t & Ht & Ho) | Hno]; [eapply Hlook; eassumption |].
  rewrite (proj2 (Hlook r) Hno). symmetry. apply (so_rest _ _ Hso). intros t Ho. apply (Hno t); [eauto | assumption].
Qed.

(** Lemma 9: if all threads have finished, bigger steps lead to the same state, with all of its memory. *)
Lemma suffix_final s p r : suffix_of s p -> final s -> look s r = look (now p) r.
Proof.
  intros Hso Hf.
  assert (Hfin : forall t c G, pool s t = Some (c, G) -> finished s t).
  { intros t c G Ht. pose proof (Hf _ _ _ Ht). subst c. exists G. assumption. }
  assert (Hown : forall t q, owns s t q -> look s q = look (now p) q).
  { intros t q Ho. destruct (pool s t) as [[c G] |] eqn:Et; [eapply finished_owner; eauto |].
    exfalso. unfold owns in Ho. destruct (guardian_of q) as [m | u].
    - exact (holders_live _ (so_disciplined _ _ Hso) _ _ Ho Et).
    - destruct Ho as (c & G & H1 & _). congruence. }
  destruct (guardian_of r) as [m | u] eqn:Eg.
  - destruct (held s m) as [t |] eqn:Em; [apply (Hown t); unfold owns; now rewrite Eg |].
    apply (so_rest _ _ Hso). intro t. unfold owns. rewrite Eg. congruence.
  - destruct (pool s u) as [[c G] |] eqn:Eu.
    + apply (Hown u). unfold owns. rewrite Eg. exists c, G. split; [assumption | left; reflexivity].
    + apply (so_rest _ _ Hso). intro t. unfold owns. rewrite Eg. intros (c & G & Ht & Hin).
      pose proof (Hf _ _ _ Ht). subst c. destruct Hin as [<- | []]. congruence.
Qed.

Theorem reordering_final p0 s :
  disciplined (now p0) -> at_sections p0 -> steps (now p0) s -> final s ->
  exists p, big_steps p0 p /\ forall r, look s r = look (now p) r.
Proof.
  intros Hd Hs H Hf. destruct (reordering _ _ Hd Hs H) as (p & Hb & Hso). eauto using suffix_final.
Qed.

(** Lemma 10: a failing execution fails after bigger steps, in a section of the same thread. *)
Theorem reordering_error p0 s t o :
  disciplined (now p0) -> at_sections p0 -> steps (now p0) s -> step s t o Error ->
  exists p, big_steps p0 p /\ suffix_of s p /\ big_error p t.
Proof.
  intros Hd Hs H He. destruct (reordering _ _ Hd Hs H) as (p & Hb & Hso).
  exists p. split; [assumption |]. split; [assumption |]. eapply suffix_error; eassumption.
Qed.

End BiggerStep.
