#!/bin/sh
# What the proofs assume.
#   check-assumptions.sh BUILT [COQC]
# BUILT is the folder with the compiled .vo files.  Fails if a source leaves a proof open or states an axiom, or if any
# theorem rests on anything but functional extensionality.  The theorems are all those of the sources, not a list kept here;
# the names below are only those that must be among them.
set -eu

main_theorems="
HappensBefore.hb_iff_path
HappensBefore.empty_child_clause_is_idle
ClockOrder.clocks_are_exact
ClockOrder.own_component_leads
ClockOrder.happens_before_lowers_clocks
Detector.sound_and_complete
Detector.detect_first_race
VectorClock.steps_iff_run
VectorClock.reports_exactly_the_races
VectorClock.vector_clock_sound_and_complete
VectorClock.vector_clock_first_race
FastTrack.bisimulation
FastTrack.fast_track_sound_and_complete
FastTrack.fast_track_first_race
FastTrack.lemma_4
Fto.fto_sound_and_complete
Fto.fto_first_race
MultiJoin.multi_join_sound_and_complete
Judge.check_is_right
Judge.judge_is_right
Judge.racy_events_are_the_racy_events
DoesntCommute.dc_complete
DoesntCommute.wdc_complete
Program.ca_witness_is_lw_witness
Program.witness_is_an_execution
Program.witness_shows_a_race
Predictable.first_race_is_predictable
Predictable.reported_race_is_a_race_of_the_program
Witness.check_lw_is_right
Witness.check_ca_is_right
Witness.accepted_witness_shows_a_race
TraceProgram.executions_are_the_consistent_traces
TraceProgram.every_trace_is_an_execution
AccessHistory.unopt_exact
AccessHistory.fto_exact
AccessHistory.write_same_epoch
AccessHistory.same_first_race
Placement.covered_races_are_checked
Placement.legitimate_races_are_real
Placement.precise_checks
CheckedTrace.kept_races
CheckedTrace.detector_sees_the_races
CheckedTrace.vector_clock_on_checks
BiggerStep.reordering
BiggerStep.suffix_reached
BiggerStep.reordering_final
BiggerStep.reordering_error
Simulation.step_simulated
Simulation.big_step_simulates
Simulation.big_error_simulates
Executions.labels_well_formed
InstrumentCorrect.executions_are_related
InstrumentCorrect.race_free_bisimulation
InstrumentCorrect.instrumented_fails
InstrumentCorrect.source_races
InstrumentCorrect.race_detected_bisimulation
InstrumentCorrect.race_detection
InstrumentCorrect.same_results
ProgramCheck.check_program_is_right
CorrectReordering.extended_by_one
CorrectReordering.neither_hinders_the_other
EventRules.allow_is_legal
EventRules.check_trace_is_right
WitnessRows.rows_are_right
WitnessChecker.check_is_right
WitnessChecker.accepted_is_predictable
SectionEnds.ends_are_right
SectionEnds.rival_waits
CertificateSound.certificate_excludes
"

if [ $# -lt 1 ]; then
  echo "usage: check-assumptions.sh BUILT [COQC]" >&2
  exit 64
fi
built=$1
coqc=${2:-coqc}
sources=$(cd "$(dirname "$0")" && pwd)

if grep -nwE 'Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Hypothes[ie]s|Unset Guard Checking|bypass_check' "$sources"/*.v; then
  echo "check-assumptions: the lines above leave something open" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for file in "$sources"/*.v; do
  module=$(basename "$file" .v)
  sed -nE "s/^(Theorem|Corollary) ([A-Za-z0-9_']+).*/$module.\\2/p" "$file"
done > "$work/theorems"

for name in $main_theorems; do
  if ! grep -qx "$name" "$work/theorems"; then
    echo "check-assumptions: $name is not among the theorems" >&2
    exit 1
  fi
done

{
  sed -E 's/\..*//' "$work/theorems" | sort -u | sed 's/.*/From Omen Require &./'
  while read -r name; do
    echo "Goal True. idtac \"== $name\". exact I. Qed."
    echo "Print Assumptions $name."
  done < "$work/theorems"
} > "$work/Assumptions.v"

"$coqc" -q -R "$built" Omen "$work/Assumptions.v" > "$work/answer"

awk '
  /^== / { name = $2; next }
  /^Closed under the global context/ { closed++; print name ": no assumptions"; next }
  /^Axioms:/ { next }
  /functional_extensionality_dep/ { print name ": functional extensionality"; extensional++; next }
  /^  / && extensional { next }
  { print name ": " $0; bad++ }
  END {
    print closed + 0 " theorems without assumptions, " extensional + 0 " with functional extensionality, " bad + 0 " others"
    if (bad || closed + extensional == 0) exit 1
  }' "$work/answer"

count=$(wc -l < "$work/theorems")
answers=$(grep -cE '^(Closed under the global context|Axioms:)' "$work/answer")
if [ "$count" -ne "$answers" ]; then
  echo "check-assumptions: $count theorems, but $answers answers" >&2
  exit 1
fi
