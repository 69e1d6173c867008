(** * Steps of one thread alone

    - [solo]: steps of one thread, and the memory they access; [solo_frame]: they depend on nothing else.
    - [exec]: code without locks and threads as a function on local variables and memory; [exec_solo]: [solo] steps compute it.

    C++ twin: none. *)

From Coq Require Import List Arith Bool PArith Lia.
Import ListNotations.
From Omen Require Import Trace Mini Instrument Ownership.

(** ** Steps of one thread *)

(** [solo A t n a b]: [n] steps of [t] lead from [a] to [b], and access only [A]. *)
Inductive solo (A : resource -> Prop) (t : tid) : nat -> state -> state -> Prop :=
| solo_nil a : solo A t 0 a a
| solo_snoc n a b i c G b' :
    solo A t n a b -> pool b t = Some (i :: c, G) -> (forall r, touches t i r -> A r) ->
    effect t i c G b (Running b') -> solo A t (S n) a b'.

Definition anything (r : resource) : Prop := True.

Lemma solo_mono (A A' : resource -> Prop) t n a b :
  (forall r, A r -> A' r) -> solo A t n a b -> solo A' t n a b.
Proof. intros H. induction 1; econstructor; eauto. Qed.

Lemma solo_anything A t n a b : solo A t n a b -> solo anything t n a b.
Proof. apply solo_mono. unfold anything. auto. Qed.

Lemma solo_trans A t n m a b c : solo A t n a b -> solo A t m b c -> solo A t (n + m) a c.
Proof.
  intros H1 H2. induction H2; [now rewrite Nat.add_0_r |]. rewrite Nat.add_succ_r. econstructor; eauto.
Qed.

Lemma solo_local A t n a b r : solo A t n a b -> ~ A r -> look b r = look a r.
Proof.
  intros H Hr. induction H as [| n a b i c G b' H IH Hp HA He]; [reflexivity |].
  rewrite <- IH by assumption. eapply effect_local; [exact He |]. intro Hw. apply Hr, HA, writes_touches, Hw.
Qed.

Lemma solo_frame A t n a b a' :
  solo A t n a b -> (forall r, A r -> look a r = look a' r) ->
  exists b', solo A t n a' b' /\ (forall r, A r -> look b r = look b' r).
Proof.
  intros H. revert a'. induction H as [a | n a b i c G c' H IH Hp HA He]; intros a' Heq.
  - exists a'. split; [constructor | assumption].
  - destruct (IH a' Heq) as (b' & Hs & Hb).
    destruct (effect_frame t i c G b b' (Running c') He) as (d & Hd & Hq); [congruence | auto |].
    assert (Hp' : pool b' t = Some (i :: c, G)).
    { pose proof (Hb (RThread t) (HA _ (or_introl eq_refl))) as E. simpl in E. congruence. }
    exists d. split; [econstructor; eassumption |]. intros r Hr.
    destruct (touches_dec t i r) as [Ht | Ht]; [auto |].
    rewrite (effect_local _ _ _ _ _ _ r He), (effect_local _ _ _ _ _ _ r Hd) by (intro; apply Ht, writes_touches; assumption).
    auto.
Qed.

Lemma solo_functional A B t n a b c : solo A t n a b -> solo B t n a c -> b = c.
Proof.
  intro H. revert c. induction H as [a | n a b i d G b' H IH Hp HA He]; intros e H2.
  - inversion H2; reflexivity.
  - inversion H2 as [| m a' x j d' K x' H' Hp' HA' He']; subst. rewrite <- (IH _ H') in *.
    rewrite Hp in Hp'. injection Hp' as <- <- <-. pose proof (effect_functional _ _ _ _ _ _ _ He He') as E.
    now injection E.
Qed.

(** The first steps of a longer run. *)
Lemma solo_prefix A t n m a c : solo A t n a c -> m <= n -> exists b, solo A t m a b /\ solo A t (n - m) b c.
Proof.
  intros H. revert m. induction H as [a | n a b i d G b' H IH Hp HA He]; intros m Hm.
  - replace m with 0 by lia. exists a. split; constructor.
  - destruct (Nat.eq_dec m (S n)) as [-> | Hne].
    + exists b'. rewrite Nat.sub_diag. split; [econstructor; eassumption | constructor].
    + destruct (IH m) as (x & H1 & H2); [lia |]. exists x. split; [assumption |].
      replace (S n - m) with (S (n - m)) by lia. econstructor; eassumption.
Qed.

Lemma solo_code A t n a b c G :
  solo A t n a b -> pool a t = Some (c, G) -> n <= length c /\ exists G', pool b t = Some (skipn n c, G').
Proof.
  intros H Hc. induction H as [a | n a b i d K b' H IH Hp HA He].
  - split; [lia | exists G; assumption].
  - destruct (IH Hc) as (Hn & G' & E). rewrite E in Hp. injection Hp as Hs <-.
    assert (Hlen : length (skipn n c) = S (length d)) by (rewrite Hs; reflexivity). rewrite skipn_length in Hlen.
    split; [lia |]. pose proof (pool_after b t i d G' b' He) as Hpa. rewrite Hpa. eexists. f_equal. f_equal.
    clear - Hs. revert c Hs. induction n as [| n IH]; intros [| j c] Hs; simpl in *; try discriminate; [congruence | auto].
Qed.

Lemma solo_steps A t n a b : solo A t n a b -> steps a b.
Proof.
  induction 1 as [| n a b i c G b' H IH Hp HA He]; [constructor |].
  eapply steps_snoc; [exact IH | exists i, c, G; eauto].
Qed.

Lemma solo_disciplined A t n a b : solo A t n a b -> disciplined a -> disciplined b.
Proof. induction 1 as [| n a b i c G b' H IH Hp HA He]; [auto |]. intro Hd. eapply (disciplined_step b t i c G); auto. Qed.

(** Instructions without influence on ownership. *)
Definition is_local (i : instr) : Prop :=
  match i with
  | Assign _ _ | Load _ _ | Store _ _ | Assert _ _ => True
  | _ => False
  end.

(** ** Code without locks and threads, executed in one step *)

(** [None]: an assertion fails. *)
Fixpoint exec (l : code) (G : env) (D : memory) : option (env * memory) :=
  match l with
  | [] => Some (G, D)
  | Assign a e :: l => exec l (assign G a (eval G e)) D
  | Load a c :: l => exec l (assign G a (D c)) D
  | Store e c :: l => exec l G (write D c (eval G e))
  | Assert e1 e2 :: l => if eval G e1 <=? eval G e2 then exec l G D else None
  | _ => None
  end.

Lemma exec_app l1 l2 G D :
  exec (l1 ++ l2) G D = match exec l1 G D with Some (G', D') => exec l2 G' D' | None => None end.
Proof.
  revert G D. induction l1 as [| i l IH]; intros G D; [reflexivity |].
  destruct i; simpl; auto. destruct (_ <=? _); auto.
Qed.

(** [s'] is [s] after thread [t] has reached [c] with locals [G], and memory is [D]. *)
Definition after (s : state) (t : tid) (c : code) (G : env) (D : memory) (s' : state) : Prop :=
  pool s' t = Some (c, G) /\ (forall u, u <> t -> pool s' u = pool s u) /\ data s' = D /\ held s' = held s.

Lemma solo_one s t i c G s' :
  pool s t = Some (i :: c, G) -> effect t i c G s (Running s') -> solo anything t 1 s s'.
Proof. intros Hp He. econstructor; [constructor | exact Hp | unfold anything; auto | exact He]. Qed.

Lemma exec_solo t rest l : Forall is_local l -> forall s G, pool s t = Some (l ++ rest, G) ->
  match exec l G (data s) with
  | Some (G', D') => exists s', solo anything t (length l) s s' /\ after s t rest G' D' s'
  | None => exists n s', n < length l /\ solo anything t n s s' /\ step s' t None Error
  end.
Proof.
  induction 1 as [| i l Hi Hl IH]; intros s G Hp.
  - exists s. split; [constructor |]. repeat split; auto.
  - assert (Hnext : forall s1 G1 D1, effect t i (l ++ rest) G s (Running s1) -> pool s1 t = Some (l ++ rest, G1) ->
      (forall u, u <> t -> pool s1 u = pool s u) -> data s1 = D1 -> held s1 = held s ->
      match exec l G1 D1 with
      | Some (G', D') => exists s', solo anything t (length (i :: l)) s s' /\ after s t rest G' D' s'
      | None => exists n s', n < length (i :: l) /\ solo anything t n s s' /\ step s' t None Error
      end).
    { intros s1 G1 D1 He Hp1 Hu HD HH. specialize (IH s1 G1 Hp1). rewrite HD in IH. pose proof (solo_one _ _ _ _ _ _ Hp He) as H1.
      destruct (exec l G1 D1) as [[G' D'] |].
      - destruct IH as (s' & Hs & A1 & A2 & A3 & A4). exists s'. split; [exact (solo_trans _ _ _ _ _ _ _ H1 Hs) |].
        repeat split; try assumption; [| congruence]. intros u Hne. rewrite A2, Hu; auto.
      - destruct IH as (n & s' & Hn & Hs & He'). exists (1 + n), s'. split; [simpl; lia |].
        split; [exact (solo_trans _ _ _ _ _ _ _ H1 Hs) | assumption]. }
    destruct s as [P D H]. simpl in Hp.
    destruct i; simpl in Hi; try contradiction; simpl exec.
    + eapply Hnext; [constructor | | | reflexivity | reflexivity]; simpl; unfold put; [apply set_same |].
      intros u Hu. now apply set_other.
    + eapply Hnext; [constructor | | | reflexivity | reflexivity]; simpl; unfold put; [apply set_same |].
      intros u Hu. now apply set_other.
    + eapply Hnext; [constructor | | | reflexivity | reflexivity]; simpl; unfold put; [apply set_same |].
      intros u Hu. now apply set_other.
    + simpl. destruct (Nat.leb_spec (eval G e1) (eval G e2)) as [Hle | Hlt].
      * eapply Hnext; [constructor; assumption | | | reflexivity | reflexivity]; simpl; unfold put; [apply set_same |].
        intros u Hu. now apply set_other.
      * exists 0. eexists. split; [lia |]. split; [constructor |]. exists (Assert e1 e2), (l ++ rest), G.
        split; [exact Hp |]. split; [reflexivity | now constructor].
Qed.
