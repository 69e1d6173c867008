(** * Ownership

    Why instrumentation does not race with itself: every cell of metadata has one owner at a time.  The owner is the holder of a
    mutex, the thread whose clock it is, or the thread that is going to spawn that thread.  The clock of a thread that has
    finished may be read by all.

    - [follows_discipline]: code that accesses only memory that its thread owns at that point.
    - [disciplined]: a state whose threads run such code.  Steps preserve it ([disciplined_step]).
    - [owner_is_unique], [touches_owned]: noninterference, the paper's Lemmas 4 and 5.
    - [effect_frame]: a step depends only on the memory that it accesses.

    C++ twin: none. *)

From Coq Require Import List Arith PArith Lia.
Import ListNotations.
From Omen Require Import Trace Mini Instrument.

(** ** Resources *)

(** The parts of a state. *)
Inductive resource := RCell (l : cell) | RMutex (m : mutex) | RThread (t : tid).

Inductive content := Number (n : nat) | Holder (o : option tid) | Thread (o : option (code * env)).

Definition look (s : state) (r : resource) : content :=
  match r with
  | RCell l => Number (data s l)
  | RMutex m => Holder (held s m)
  | RThread t => Thread (pool s t)
  end.

(** The memory that an instruction accesses besides its own thread. *)
Definition target (i : instr) : option resource :=
  match i with
  | Load _ l | Store _ l => Some (RCell l)
  | Lock m | Unlock m => Some (RMutex m)
  | Spawn u _ | Wait u => Some (RThread u)
  | Assign _ _ | Assert _ _ => None
  end.

Definition only_reads (i : instr) : Prop :=
  match i with
  | Load _ _ | Wait _ => True
  | _ => False
  end.

Definition touches (t : tid) (i : instr) (r : resource) : Prop := r = RThread t \/ target i = Some r.
Definition writes (t : tid) (i : instr) (r : resource) : Prop := r = RThread t \/ (target i = Some r /\ ~ only_reads i).

Definition resource_dec (a b : resource) : {a = b} + {a <> b}.
Proof. decide equality; [apply cell_dec | apply mutex_dec | apply Pos.eq_dec]. Defined.

Lemma touches_dec t i r : touches t i r \/ ~ touches t i r.
Proof.
  unfold touches. destruct (resource_dec r (RThread t)); [auto |].
  destruct (target i) as [q |]; [destruct (resource_dec q r) |]; [subst; auto | |]; right; intros [H | H]; congruence.
Qed.

Lemma writes_touches t i r : writes t i r -> touches t i r.
Proof. unfold writes, touches. tauto. Qed.

(** A step changes only the memory that it writes. *)
Lemma effect_local t i c G s s' r :
  effect t i c G s (Running s') -> ~ writes t i r -> look s' r = look s r.
Proof.
  intros H Hw. unfold writes in Hw. inversion H; subst; clear H; simpl in Hw;
    destruct r as [l' | m' | v]; simpl; try reflexivity; unfold put, write, hold;
    repeat match goal with
    | |- context [set _ _ ?a _ ?b] => rewrite (set_other _ _ a _ b) by (intro; subst; apply Hw; tauto)
    end; reflexivity.
Qed.

(** A step depends only on the memory that it accesses. *)
Lemma effect_frame t i c G s T r :
  effect t i c G s r -> pool s t <> None -> (forall q, touches t i q -> look s q = look T q) ->
  match r with
  | Running s' => exists T', effect t i c G T (Running T') /\ forall q, touches t i q -> look s' q = look T' q
  | Error => effect t i c G T Error
  end.
Proof.
  intros H Hp Heq. unfold touches in *.
  assert (Ht : pool s t = pool T t) by (specialize (Heq (RThread t) (or_introl eq_refl)); simpl in Heq; congruence).
  inversion H; subst; clear H; destruct T as [P' D' H']; simpl in *;
    try (eexists; split; [constructor; eauto |]; intros q [-> | Hq]; [| try discriminate; injection Hq as <-]; simpl;
         unfold put; rewrite ?set_same; reflexivity);
    try (now constructor).
  - specialize (Heq _ (or_intror eq_refl)). simpl in Heq. injection Heq as Heq.
    eexists; split; [constructor |]. rewrite Heq.
    intros q [-> | [= <-]]; simpl; unfold put; rewrite ?set_same; congruence.
  - eexists; split; [constructor |]. unfold write.
    intros q [-> | [= <-]]; simpl; unfold put; rewrite ?set_same; congruence.
  - specialize (Heq _ (or_intror eq_refl)). simpl in Heq. injection Heq as Heq.
    eexists; split; [constructor; congruence |]. unfold hold.
    intros q [-> | [= <-]]; simpl; unfold put; rewrite ?set_same; congruence.
  - specialize (Heq _ (or_intror eq_refl)). simpl in Heq. injection Heq as Heq.
    eexists; split; [constructor; congruence |]. unfold hold.
    intros q [-> | [= <-]]; simpl; unfold put; rewrite ?set_same; congruence.
  - specialize (Heq _ (or_intror eq_refl)). simpl in Heq. injection Heq as Heq.
    eexists; split; [constructor; congruence |].
    assert (u <> t) by (intros ->; congruence).
    intros q [-> | [= <-]]; simpl; unfold put; rewrite ?set_same; [reflexivity |].
    rewrite !(set_other _ _ t _ u) by congruence. now rewrite !set_same.
  - pose proof (Heq _ (or_intror eq_refl)) as Hu. simpl in Hu. injection Hu as Hu.
    eexists; split; [econstructor; rewrite <- Hu; eassumption |].
    intros q [-> | [= <-]]; simpl; unfold put; rewrite ?set_same; [reflexivity |].
    destruct (Pos.eq_dec u t) as [-> |]; [now rewrite !set_same |]. rewrite !set_other by congruence. congruence.
Qed.

(** ** Owners *)

(** The guard of a resource. *)
Inductive guardian := ByMutex (m : mutex) | ByThread (u : tid).

Definition guardian_of (r : resource) : guardian :=
  match r with
  | RThread u | RCell (ThreadClock u _) => ByThread u
  | RMutex m => ByMutex m
  | RCell (LockClock m _) => ByMutex (User m)
  | RCell (Shared x) | RCell (ReadClock x _) | RCell (WriteClock x _) => ByMutex (Guard x)
  end.

Definition owns (s : state) (t : tid) (r : resource) : Prop :=
  match guardian_of r with
  | ByMutex m => held s m = Some t
  | ByThread u => exists c G, pool s t = Some (c, G) /\ In u (t :: spawns c)
  end.

Definition finished (s : state) (u : tid) : Prop := exists G, pool s u = Some ([], G).

(** The memory that all threads may read. *)
Definition shared (s : state) (r : resource) : Prop :=
  match guardian_of r with
  | ByMutex _ => False
  | ByThread u => finished s u
  end.

Lemma owns_dec s t r : owns s t r \/ ~ owns s t r.
Proof.
  unfold owns. destruct (guardian_of r) as [m | u].
  - destruct (held s m) as [v |]; [| right; discriminate].
    destruct (Pos.eq_dec v t); [subst; auto | right; congruence].
  - destruct (pool s t) as [[c G] |] eqn:E; [| right; intros (c & G & H & _); discriminate].
    destruct (in_dec Pos.eq_dec u (t :: spawns c)); [left; eauto | right].
    intros (c' & G' & [= <- <-] & H). contradiction.
Qed.

Lemma shared_dec s r : shared s r \/ ~ shared s r.
Proof.
  unfold shared, finished. destruct (guardian_of r) as [m | u]; [auto |].
  destruct (pool s u) as [[[| i c] G] |]; [left; eauto | right | right]; intros [G' H]; discriminate.
Qed.

(** ** The discipline *)

(** May a thread [t] that holds [hs], has waited for [ws] and will spawn [js] access the cell? *)
Definition may_access (t : tid) (hs : list mutex) (ws js : list tid) (to_write : bool) (l : cell) : Prop :=
  match guardian_of (RCell l) with
  | ByMutex m => In m hs
  | ByThread u => In u (t :: js) \/ (to_write = false /\ In u ws)
  end.

Definition may_execute (t : tid) (hs : list mutex) (ws js : list tid) (i : instr) : Prop :=
  match i with
  | Load _ l => may_access t hs ws js false l
  | Store _ l => may_access t hs ws js true l
  | Assign _ _ | Assert _ _ => True
  | _ => False
  end.

Inductive follows_discipline (t : tid) : list mutex -> list tid -> code -> Prop :=
| follows_nil hs ws : follows_discipline t hs ws []
| follows_local hs ws i c :
    may_execute t hs ws (spawns c) i -> follows_discipline t hs ws c -> follows_discipline t hs ws (i :: c)
| follows_lock hs ws m c : follows_discipline t (m :: hs) ws c -> follows_discipline t hs ws (Lock m :: c)
| follows_unlock hs hs' ws m c :
    In m hs -> (forall k, In k hs' -> In k hs /\ k <> m) ->
    follows_discipline t hs' ws c -> follows_discipline t hs ws (Unlock m :: c)
| follows_spawn hs ws u body c :
    follows_discipline u [] [] body -> follows_discipline t hs ws c -> follows_discipline t hs ws (Spawn u body :: c)
| follows_wait hs ws u c : follows_discipline t hs (u :: ws) c -> follows_discipline t hs ws (Wait u :: c).

Record thread_disciplined (s : state) (t : tid) (c : code) (hs : list mutex) (ws : list tid) : Prop := {
  td_code : follows_discipline t hs ws c;
  td_holds : forall m, In m hs -> held s m = Some t;
  td_waited : forall u, In u ws -> finished s u;
  td_once : NoDup (spawns c);
  td_unborn : forall u, In u (spawns c) -> pool s u = None
}.

Record disciplined (s : state) : Prop := {
  each_thread : forall t c G, pool s t = Some (c, G) -> exists hs ws, thread_disciplined s t c hs ws;
  spawned_once : forall t c G t' c' G' u,
    pool s t = Some (c, G) -> pool s t' = Some (c', G') -> In u (spawns c) -> In u (spawns c') -> t = t';
  holders_live : forall m t, held s m = Some t -> pool s t <> None
}.

Lemma owner_is_unique s r t t' : disciplined s -> owns s t r -> owns s t' r -> t = t'.
Proof.
  intros Hd. unfold owns. destruct (guardian_of r) as [m | u]; [congruence |].
  intros (c & G & Hp & Hin) (c' & G' & Hp' & Hin').
  destruct Hin as [<- | Hin], Hin' as [<- | Hin']; [reflexivity | | |].
  - destruct (each_thread _ Hd _ _ _ Hp') as (hs & ws & Ht). rewrite (td_unborn _ _ _ _ _ Ht t Hin') in Hp. discriminate.
  - destruct (each_thread _ Hd _ _ _ Hp) as (hs & ws & Ht). rewrite (td_unborn _ _ _ _ _ Ht t' Hin) in Hp'. discriminate.
  - eapply (spawned_once _ Hd); eassumption.
Qed.

Section Step.

Context (s : state) (t : tid) (i : instr) (c : code) (G : env).
Context (Hd : disciplined s) (Hp : pool s t = Some (i :: c, G)).

Lemma owns_itself : owns s t (RThread t).
Proof. exists (i :: c), G. split; [assumption | left; reflexivity]. Qed.

(** A thread that runs does not share. *)
Lemma shared_not_owned r : shared s r -> ~ owns s t r.
Proof.
  unfold shared, owns. destruct (guardian_of r) as [m | u]; [tauto |].
  intros [Gu Hu] (c' & G' & Hp' & Hin). rewrite Hp in Hp'. injection Hp' as <- <-.
  destruct Hin as [<- | Hin]; [congruence |].
  destruct (each_thread _ Hd _ _ _ Hp) as (hs & ws & Ht). pose proof (td_unborn _ _ _ _ _ Ht u Hin). congruence.
Qed.

(** Noninterference. *)
Lemma touches_owned o r :
  effect t i c G s o -> touches t i r ->
  owns s t r \/ (shared s r /\ ~ writes t i r) \/ (exists m, i = Lock m /\ r = RMutex m /\ held s m = None).
Proof.
  intros He [-> | Hr]; [left; apply owns_itself |].
  destruct (each_thread _ Hd _ _ _ Hp) as (hs & ws & [Hcode Hhs Hws Hnd Hun]).
  assert (Hread : forall b l, may_access t hs ws (spawns c) b l -> spawns (i :: c) = spawns c ->
    owns s t (RCell l) \/ (b = false /\ shared s (RCell l))).
  { intros b l. unfold may_access, owns, shared. intros Hm Hsp. destruct (guardian_of (RCell l)) as [m | u]; [auto |].
    destruct Hm as [Hin | [-> Hin]]; [left; exists (i :: c), G; rewrite Hsp; auto | right; auto]. }
  assert (Hnw : shared s r -> only_reads i -> ~ writes t i r).
  { intros Hs Hro [-> | [_ H]]; [| contradiction]. apply (shared_not_owned _ Hs), owns_itself. }
  destruct i as [a e | a l | e l | m | m | u body | u | e1 e2]; simpl in Hr; try discriminate; injection Hr as <-.
  - inversion Hcode; subst. simpl in *.
    match goal with H : may_access _ _ _ _ _ _ |- _ => destruct (Hread _ _ H eq_refl) as [| [_ Hs]]; [auto | right; left; auto] end.
  - inversion Hcode; subst. simpl in *.
    match goal with H : may_access _ _ _ _ _ _ |- _ => destruct (Hread _ _ H eq_refl) as [| [? _]]; [auto | discriminate] end.
  - right. right. inversion He; subst. eauto.
  - left. inversion He; subst. assumption.
  - left. exists (Spawn u body :: c), G. split; [assumption | right; left; reflexivity].
  - right. left. inversion He; subst. assert (Hs : shared (State P D H) (RThread u)) by (red; simpl; red; eauto). split; [exact Hs | apply Hnw; simpl; auto].
Qed.

Lemma writes_owned o r :
  effect t i c G s o -> writes t i r -> owns s t r \/ (exists m, i = Lock m /\ r = RMutex m /\ held s m = None).
Proof.
  intros He Hw. destruct (touches_owned o r He (writes_touches _ _ _ Hw)) as [| [[_ H] |]]; auto; contradiction.
Qed.

(** How ownership moves. *)
Definition releases : Prop :=
  match i with
  | Unlock _ | Spawn _ _ => True
  | _ => False
  end.

Context (s' : state) (He : effect t i c G s (Running s')).

Lemma pool_after : pool s' t = Some (c, match i with
  | Assign a e => assign G a (eval G e)
  | Load a l => assign G a (data s l)
  | _ => G
  end).
Proof. clear Hd Hp. inversion He; subst; simpl; unfold put; now rewrite set_same. Qed.

Lemma pool_other u : u <> t -> pool s' u = pool s u \/
  (exists body, i = Spawn u body /\ pool s u = None /\ pool s' u = Some (body, env0)).
Proof.
  clear Hd Hp. intro Hne. inversion He; subst; simpl; unfold put; rewrite set_other by assumption; auto.
  destruct (Pos.eq_dec u u0) as [-> |]; [rewrite set_same; right; eauto | rewrite set_other by assumption; auto].
Qed.

Lemma held_after m : held s' m = held s m \/ (i = Lock m /\ held s m = None /\ held s' m = Some t) \/
  (i = Unlock m /\ held s m = Some t /\ held s' m = None).
Proof.
  clear Hd Hp. inversion He; subst; simpl; auto; unfold hold;
    (destruct (mutex_dec m m0) as [-> |]; [rewrite set_same; auto 6 | rewrite set_other by assumption; auto]).
Qed.

Lemma spawns_tail u : In u (spawns c) -> In u (spawns (i :: c)).
Proof. intro H. unfold spawns. simpl. apply in_or_app. auto. Qed.

Lemma finished_stays u : finished s u -> finished s' u.
Proof.
  intros [Gu Hu]. assert (u <> t) by congruence.
  destruct (pool_other u) as [E | (body & _ & E & _)]; [assumption | exists Gu; congruence | congruence].
Qed.

Lemma others_keep u r : u <> t -> owns s u r -> owns s' u r.
Proof.
  intro Hne. unfold owns. destruct (guardian_of r) as [m | v].
  - intro Hm. destruct (held_after m) as [E | [(_ & E & _) | (_ & E & _)]]; congruence.
  - intros (cu & Gu & Hu & Hin). exists cu, Gu. split; [| assumption].
    destruct (pool_other u Hne) as [E | (body & _ & E & _)]; congruence.
Qed.

Lemma others_gain u r : u <> t -> owns s' u r ->
  owns s u r \/ (owns s t r /\ pool s u = None /\ exists body, i = Spawn u body).
Proof.
  intro Hne. unfold owns. destruct (guardian_of r) as [m | v].
  - intro Hm. destruct (held_after m) as [E | [(_ & _ & E) | (_ & _ & E)]]; left; congruence.
  - intros (cu & Gu & Hu & Hin). destruct (pool_other u Hne) as [E | (body & Hi & E & E')].
    + left. exists cu, Gu. split; [congruence | assumption].
    + right. rewrite E' in Hu. injection Hu as <- <-. split; [| split; [assumption | eauto]].
      exists (i :: c), G. split; [assumption |]. right. rewrite Hi. unfold spawns. simpl.
      destruct Hin as [<- | Hin]; [auto | right; apply in_or_app; auto].
Qed.

Lemma self_gains r : owns s' t r ->
  owns s t r \/ (exists m, i = Lock m /\ guardian_of r = ByMutex m /\ held s m = None).
Proof.
  unfold owns. destruct (guardian_of r) as [m | v].
  - intro Hm. destruct (held_after m) as [E | [(Hi & E & _) | (_ & _ & E)]]; [left; congruence | eauto | congruence].
  - intros (cu & Gu & Hu & Hin). left. rewrite pool_after in Hu. injection Hu as <- _.
    exists (i :: c), G. split; [assumption |]. destruct Hin as [<- | Hin]; [left; reflexivity | right; apply spawns_tail, Hin].
Qed.

Lemma self_keeps r : ~ releases -> owns s t r -> owns s' t r.
Proof.
  unfold releases, owns. intro Hr. destruct (guardian_of r) as [m | v].
  - intro Hm. destruct (held_after m) as [E | [(_ & E & _) | (Hi & _ & _)]]; [congruence | congruence |].
    rewrite Hi in Hr. tauto.
  - intros (cu & Gu & Hu & Hin). rewrite Hp in Hu. injection Hu as <- <-. do 2 eexists. split; [apply pool_after |].
    destruct Hin as [<- | Hin]; [left; reflexivity | right]. unfold spawns in Hin. simpl in Hin.
    apply in_app_or in Hin as [Hin |]; [| assumption]. destruct i; simpl in Hin; tauto.
Qed.

Lemma shared_stays r : shared s r -> shared s' r.
Proof. unfold shared. destruct (guardian_of r); [tauto | apply finished_stays]. Qed.

Lemma finished_new u : finished s' u -> finished s u \/ u = t \/ pool s u = None.
Proof.
  intros [Gu Hu]. destruct (Pos.eq_dec u t) as [-> |]; [auto |].
  destruct (pool_other u) as [E | (body & _ & E & _)]; [assumption | left; exists Gu; congruence | auto].
Qed.

Lemma held_by_other m u : u <> t -> held s m = Some u -> held s' m = Some u.
Proof. intros Hne Hm. destruct (held_after m) as [E | [(_ & E & _) | (_ & E & _)]]; congruence. Qed.

Lemma disciplined_step : disciplined s'.
Proof.
  pose proof pool_after as Hpt.
  destruct (each_thread _ Hd _ _ _ Hp) as (hs & ws & [Hcode Hhs Hws Hnd Hun]).
  assert (Hspawns : spawns (i :: c) = spawned i ++ spawns c) by reflexivity.
  rewrite Hspawns in Hnd, Hun.
  assert (Hunborn : forall u, pool s u = None -> u <> t -> (forall body, i <> Spawn u body) -> pool s' u = None).
  { intros u Hu Hne Hns. destruct (pool_other u Hne) as [E | (body & E & _)]; [congruence | edestruct Hns; eassumption]. }
  assert (Hnot : forall u body, i = Spawn u body -> ~ In u (spawns c)).
  { intros u body -> Hin. simpl in Hnd. inversion Hnd; subst. apply H1, in_or_app. auto. }
  assert (Hcnd : NoDup (spawns c)) by (clear - Hnd; induction (spawned i); [assumption | inversion Hnd; auto]).
  assert (Hcun : forall u, In u (spawns c) -> pool s' u = None).
  { intros u Hin. apply Hunborn; [apply Hun, in_or_app; auto | |].
    - intros ->. rewrite Hun in Hp by (apply in_or_app; auto). discriminate.
    - intros body Hi. exact (Hnot _ _ Hi Hin). }
  assert (Hnd2 : forall u, In u (spawned i) -> ~ In u (spawns c)).
  { intros u H1 H2. clear - Hnd H1 H2. induction (spawned i) as [| v l IH]; [contradiction |].
    simpl in Hnd. inversion Hnd; subst. destruct H1 as [-> | H1]; [apply H3, in_or_app; auto | auto]. }
  split.
  - intros u cu Gu Hu. destruct (Pos.eq_dec u t) as [-> | Hne].
    + rewrite Hpt in Hu. injection Hu as <- _.
      assert (Hsame : (forall m, i <> Lock m) -> (forall m, i <> Unlock m) -> forall m, In m hs -> held s' m = Some t).
      { intros H1 H2 m Hin. destruct (held_after m) as [E | [(Hi & _) | (Hi & _)]];
          [rewrite E; auto | edestruct H1; eassumption | edestruct H2; eassumption]. }
      remember (i :: c) as ic eqn:Eic in Hcode.
      destruct Hcode as [hs ws | hs ws j d H1 H2 | hs ws m d H1 | hs hs' ws m d H1 H2 H3 | hs ws u body d H1 H2 | hs ws u d H1];
        [discriminate | injection Eic as Ei Ed; subst d ..].
      * exists hs, ws. split; auto using finished_stays. apply Hsame; intros m Hi; rewrite Hi in Ei; subst j; exact H1.
      * exists (m :: hs), ws. split; auto using finished_stays. intros k Hk.
        destruct (held_after k) as [E | [(_ & _ & E) | (Hi & _)]]; [| assumption | congruence].
        destruct Hk as [<- | Hk]; [| rewrite E; auto].
        clear - He Ei. rewrite <- Ei in He. inversion He; subst; simpl. unfold hold. now rewrite set_same.
      * exists hs', ws. split; auto using finished_stays. intros k Hk. destruct (H2 k Hk) as [Hin Hkm].
        destruct (held_after k) as [E | [(Hi & _) | (Hi & _)]]; [rewrite E; auto | congruence | congruence].
      * exists hs, ws. split; auto using finished_stays. apply Hsame; congruence.
      * exists hs, (u :: ws). split; auto; [apply Hsame; congruence |].
        intros v [<- | Hv]; [| auto using finished_stays]. apply finished_stays.
        clear - He Ei. rewrite <- Ei in He. inversion He; subst. exists Gu. assumption.
    + destruct (pool_other u Hne) as [E | (body & Hi & E & E')].
      * rewrite E in Hu. destruct (each_thread _ Hd _ _ _ Hu) as (hu & wu & [U1 U2 U3 U4 U5]).
        exists hu, wu. split; auto using finished_stays, held_by_other.
        intros v Hv. apply Hunborn; [auto | |].
        -- intros ->. rewrite (U5 _ Hv) in Hp. discriminate.
        -- intros body Hi. apply Hne. symmetry. eapply (spawned_once _ Hd t); try eassumption.
           rewrite Hspawns, Hi. left. reflexivity.
      * rewrite E' in Hu. injection Hu as <- <-. rewrite Hi in Hcode, Hnd, Hun.
        assert (Hbody : follows_discipline u [] [] body) by (inversion Hcode; [contradiction | assumption]).
        simpl in Hnd, Hun. fold (spawns body) in *. inversion Hnd as [| ? ? Hnu Hnd'].
        exists [], []. split; auto; try (intros ? []).
        -- clear - Hnd'. induction (spawns body); [constructor |]. simpl in Hnd'. inversion Hnd'; subst.
           constructor; [intro; apply H1, in_or_app; auto | auto].
        -- intros v Hv. apply Hunborn; [apply Hun; right; apply in_or_app; auto | |].
           ++ intros ->. rewrite Hun in Hp by (right; apply in_or_app; auto). discriminate.
           ++ intros body' Hi'. rewrite Hi in Hi'. injection Hi' as <- <-. apply Hnu, in_or_app. auto.
  - assert (Hold : forall u cu Gu v, pool s' u = Some (cu, Gu) -> In v (spawns cu) ->
      (u <> t /\ pool s u = Some (cu, Gu)) \/ (u = t /\ In v (spawns c)) \/ (In v (spawned i) /\ exists b, i = Spawn u b)).
    { intros u cu Gu v Hu Hv. destruct (Pos.eq_dec u t) as [-> | Hne].
      - right. left. rewrite Hpt in Hu. injection Hu as <- _. auto.
      - destruct (pool_other u Hne) as [E | (body & Hi & _ & E')]; [left; split; congruence |].
        right. right. rewrite E' in Hu. injection Hu as <- <-. rewrite Hi. split; [right; assumption | eauto]. }
    intros u cu Gu u' cu' Gu' v Hu Hu' Hv Hv'.
    assert (Hother : forall w cw Gw, w <> t -> pool s w = Some (cw, Gw) -> In v (spawns cw) -> ~ In v (spawns (i :: c))).
    { intros w cw Gw Hw Hpw Hin Hin'. apply Hw. eapply (spawned_once _ Hd); eassumption. }
    rewrite Hspawns in Hother.
    destruct (Hold _ _ _ _ Hu Hv) as [[N1 P1] | [[-> P1] | [P1 [b1 B1]]]];
      destruct (Hold _ _ _ _ Hu' Hv') as [[N2 P2] | [[-> P2] | [P2 [b2 B2]]]]; try reflexivity;
      try (exfalso; eapply Hother; [| | | apply in_or_app; right]; eassumption);
      try (exfalso; eapply Hother; [| | | apply in_or_app; left]; eassumption);
      try (exfalso; eapply Hnd2; eassumption).
    + eapply (spawned_once _ Hd); eassumption.
    + congruence.
  - intros m u Hm Hu.
    assert (Hs : pool s u = None).
    { destruct (Pos.eq_dec u t) as [-> | Hne]; [congruence |].
      destruct (pool_other u Hne) as [E | (body & _ & E & E')]; congruence. }
    destruct (held_after m) as [E | [(_ & _ & E) | (_ & _ & E)]]; rewrite E in Hm; [| injection Hm as <-; congruence | discriminate].
    exact (holders_live _ Hd _ _ Hm Hs).
Qed.

End Step.
