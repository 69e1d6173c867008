(** * Extraction of the checkers over the whole event model

    Writes checker_core.ml into the folder in which it is compiled.  Two steps are trusted, not proved: numbers ([nat]: event
    indices and counts) become OCaml's [int], and so do [positive] numbers (identifiers and keys of maps), each with the same
    value.  No trace has so many events that a 63-bit number overflows.  Maps are extracted as they are. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt PArith.
From Omen Require Import EventRules WitnessRows WitnessChecker SectionEnds Certificate.

Extract Inductive positive => int [ "(fun p -> 2 * p + 1)" "(fun p -> 2 * p)" "1" ]
  "(fun f2p1 f2p f1 p -> if p <= 1 then f1 () else if p land 1 = 0 then f2p (p lsr 1) else f2p1 (p lsr 1))".
Extract Inlined Constant Pos.eqb => "Stdlib.Int.equal".
Extract Inlined Constant Pos.of_succ_nat => "Stdlib.succ".

Set Warnings "-extraction-opaque-accessed".
Extraction Language OCaml.
Extraction "checker_core.ml" check_trace rows_of check_witness ends_of check_certificate.
