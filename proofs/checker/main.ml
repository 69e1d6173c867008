(* omen-proved-checker: reads a trace, witnesses and certificates, and prints the verdicts of the proved checkers.

   The verdicts come from Checker_core, which is extracted from Coq (EventRules.v, WitnessRows.v, WitnessChecker.v,
   SectionEnds.v, Certificate.v).  The parts written by hand here, and so trusted, read the text, number names, and
   build the tree of a certificate. *)

open Checker_core

exception Bad_input of string
exception Ill_formed of int * fault

let bad path line expected = raise (Bad_input (Printf.sprintf "%s:%d: %s" path line expected))

(* Names are numbered 1, 2, 3 ... in order of appearance, per kind. *)
let fresh_names () : (string, int) Hashtbl.t = Hashtbl.create 1024

let number names name =
  match Hashtbl.find_opt names name with
  | Some id -> id
  | None ->
      let id = Hashtbl.length names + 1 in
      Hashtbl.add names name id;
      id

(* The state of the checkers for a trace. *)
type knowledge = { rows : row PositiveMap.t; ends : int option PositiveMap.t Lazy.t }

(* A line of a certificate. *)
type step = Leaf of certificate | One of hop | Two of (certificate -> certificate -> certificate)

(* The lines read of a certificate, the last one first, and the number of branches still missing. *)
type unfinished = { pair : int * int; steps : step list; branches : int }

type reader = {
  path : string;
  threads : (string, int) Hashtbl.t;
  locks : (string, int) Hashtbl.t;
  variables : (string, int) Hashtbl.t;
  barriers : (string, int) Hashtbl.t;
  atomics : (string, int) Hashtbl.t;
  mutable line : int;
  mutable events : event list;  (* last first *)
  mutable known : knowledge option;  (* once the trace is complete *)
  mutable certificate : unfinished option;
}

let is_name s = s <> "" && not (String.exists (fun c -> c = '|' || c = '(' || c = ')') s)

let memory_order reader op text =
  match text with
  | "relaxed" -> OrderRelaxed
  | "acquire" -> OrderAcquire
  | "release" -> OrderRelease
  | "acq_rel" -> OrderAcqRel
  | "seq_cst" -> OrderSeqCst
  | _ -> bad reader.path reader.line (Printf.sprintf "expected a memory order behind '%s.', found '%s'" op text)

let operation reader text =
  let bad expected = bad reader.path reader.line expected in
  let head, operand =
    match String.index_opt text '(' with
    | None -> (text, None)
    | Some i ->
        let last = String.length text - 1 in
        if text.[last] <> ')' then bad (Printf.sprintf "expected OP(OPERAND), found '%s'" text);
        (String.sub text 0 i, Some (String.trim (String.sub text (i + 1) (last - i - 1))))
  in
  let op, order =
    match String.index_opt head '.' with
    | None -> (head, None)
    | Some i -> (String.sub head 0 i, Some (String.sub head (i + 1) (String.length head - i - 1)))
  in
  let named what names =
    match operand with
    | Some name when is_name name -> number names name
    | _ -> bad (Printf.sprintf "expected %s(NAME), NAME a %s, found '%s'" op what text)
  in
  let ordered () =
    match order with
    | Some name -> memory_order reader op name
    | None -> bad (Printf.sprintf "expected %s with a memory order, found '%s'" op text)
  in
  let variable () = named "variable" reader.variables in
  let lock () = named "lock" reader.locks in
  let atomic () = named "atomic" reader.atomics in
  let barrier () = named "barrier" reader.barriers in
  let thread () = named "thread" reader.threads in
  if order <> None && not (List.mem op [ "load"; "store"; "rmw"; "fence" ]) then
    bad (Printf.sprintf "expected %s without a memory order, found '%s'" op text);
  match op with
  | "r" -> Read (variable ())
  | "w" -> Write (variable ())
  | "alloc" -> Alloc (variable ())
  | "free" -> Free (variable ())
  | "acq" -> Acquire (lock ())
  | "rel" -> Release (lock ())
  | "racq" -> AcquireShared (lock ())
  | "rrel" -> ReleaseShared (lock ())
  | "wait" -> Wait (lock ())
  | "wake" -> Wake (lock ())
  | "arrive" -> Arrive (barrier ())
  | "leave" -> Leave (barrier ())
  | "load" -> let o = ordered () in Load (o, atomic ())
  | "store" -> let o = ordered () in Store (o, atomic ())
  | "rmw" -> let o = ordered () in Rmw (o, atomic ())
  | "fence" -> Fence (ordered ())
  | "fork" -> Fork (thread ())
  | "join" -> Join (thread ())
  | "begin" -> Begin
  | "end" -> End
  | _ -> bad (Printf.sprintf "expected an operation of the event model, found '%s'" text)

let read_event reader text =
  let wrong () = bad reader.path reader.line (Printf.sprintf "expected THREAD|OP(OPERAND)|LOCATION, found '%s'" text) in
  match String.index_opt text '|' with
  | None -> wrong ()
  | Some i ->
      let rest = String.sub text (i + 1) (String.length text - i - 1) in
      let action = match String.index_opt rest '|' with None -> rest | Some j -> String.sub rest 0 j in
      let thread = String.trim (String.sub text 0 i) in
      if not (is_name thread) then wrong ();
      let thread = number reader.threads thread in
      reader.events <- { thread; action = operation reader (String.trim action) } :: reader.events

let fault = function
  | ActsAfterEnd -> "expected nothing more of a thread that has ended or has been joined"
  | ActsInWait -> "expected the thread to wake from its wait before it does anything else"
  | BeginsAgain -> "expected begin to be the first event of its thread"
  | OrderDoesNotFit -> "expected a memory order that the operation may have"
  | HeldByAnother -> "expected a lock that is free, or held by this thread in the same mode"
  | NotHeld -> "expected a lock that this thread holds"
  | WakesWithoutWait -> "expected a wait before this wake"
  | ForksItself -> "expected a fork of another thread"
  | ForksOldThread -> "expected a fork of a thread that has not run and was not forked or joined"
  | JoinsItself -> "expected a join of another thread"
  | JoinsWaiter -> "expected a join of a thread that does not wait"
  | LeavesWithoutArrival -> "expected an arrival at the barrier before this leave"

let reason = function
  | NoSuchEvent -> "the trace has no such event"
  | NotItsTurn -> "the event is not its thread's next one"
  | HardEdgeMissing -> "a fork, a joined thread or a barrier's arrival is missing before the event"
  | Illegal why -> fault why
  | AnotherLife -> "the variable is in another life than in the trace"
  | AnotherWriter -> "the event reads from another writer than in the trace"
  | NoPair -> "a witness ends with a pair of events"
  | NoConflict -> "the pair does not conflict"

(* The first witness or certificate completes the trace. *)
let known reader =
  match reader.known with
  | Some known -> known
  | None ->
      let trace = List.rev reader.events in
      reader.events <- [];
      (match check_trace trace with
      | Some (i, why) -> raise (Ill_formed (i, why))
      | None -> ());
      let known = { rows = rows_of trace; ends = lazy (ends_of trace) } in
      reader.known <- Some known;
      known

(* The numbers of a line from its second character on; a number that is too large is an event that no trace has. *)
let read_indices reader text =
  let wrong () = bad reader.path reader.line "expected '@' and the indices of events" in
  let rec read i indices =
    if i < 0 then indices
    else if text.[i] = ' ' then read (i - 1) indices
    else begin
      let start = ref i in
      while !start >= 0 && text.[!start] <> ' ' do decr start done;
      match int_of_string_opt (String.sub text (!start + 1) (i - !start)) with
      | Some n when n >= 0 -> read !start (n :: indices)
      | _ -> wrong ()
    end
  in
  read (String.length text - 1) []

let read_witness reader text =
  let known = known reader in
  (match check_witness known.rows (read_indices reader (String.sub text 1 (String.length text - 1))) with
  | Accepted -> print_string "accepted\n"
  | Refused (step, why) -> Printf.printf "refused %d %s\n" step (reason why));
  flush stdout

(* "pair I J", which is no event: that has a '|'. *)
let begins_certificate text = String.length text > 5 && String.sub text 0 5 = "pair " && not (String.contains text '|')

let words text = List.filter (fun word -> word <> "") (String.split_on_char ' ' text)

let index reader word =
  match int_of_string_opt word with
  | Some n when n >= 0 -> n
  | _ -> bad reader.path reader.line (Printf.sprintf "expected the index of an event, found '%s'" word)

let read_pair reader text =
  ignore (known reader);
  match words text with
  | [ _; i; j ] -> reader.certificate <- Some { pair = (index reader i, index reader j); steps = []; branches = 1 }
  | _ -> bad reader.path reader.line (Printf.sprintf "expected 'pair' and two events, found '%s'" text)

let parse_step reader text =
  let wrong () = bad reader.path reader.line (Printf.sprintf "expected a step of a certificate, found '%s'" text) in
  let index = index reader in
  let rule = function
    | "thread" -> ByThread
    | "hard" -> ByHardEdge
    | "source" -> BySource
    | "assumed" -> ByAssumption
    | "pair" -> BeforePair
    | _ -> wrong ()
  in
  let rec hops read = function
    | r :: a :: b :: rest -> hops ({ hop_rule = rule r; hop_from = index a; hop_to = index b } :: read) rest
    | [] -> List.rev read
    | _ -> wrong ()
  in
  match words text with
  | [ "impossible" ] -> Leaf Impossible
  | "cycle" :: rest -> Leaf (Cycle (hops [] rest))
  | "follow" :: rest -> (match hops [] rest with [ hop ] -> One hop | _ -> wrong ())
  | [ "rivals"; a; b ] ->
      let a = index a and b = index b in
      Two (fun first second -> Rivals (a, b, first, second))
  | [ "writers"; r; w ] ->
      let r = index r and w = index w in
      Two (fun first second -> Writers (r, w, first, second))
  | _ -> wrong ()

(* From the last step to the first, each takes its branches from those that are built. *)
let build steps =
  let add built step =
    match (step, built) with
    | Leaf leaf, _ -> leaf :: built
    | One hop, rest :: built -> Follow (hop, rest) :: built
    | Two node, first :: second :: built -> node first second :: built
    | _ -> assert false
  in
  match List.fold_left add [] steps with [ tree ] -> tree | _ -> assert false

let read_step reader text =
  match reader.certificate with
  | None -> assert false
  | Some unfinished ->
      let step = parse_step reader text in
      let more = match step with Leaf _ -> -1 | One _ -> 0 | Two _ -> 1 in
      let unfinished = { unfinished with steps = step :: unfinished.steps; branches = unfinished.branches + more } in
      if unfinished.branches > 0 then reader.certificate <- Some unfinished
      else begin
        reader.certificate <- None;
        let known = known reader and i, j = unfinished.pair in
        print_string
          (if check_certificate known.rows (Lazy.force known.ends) i j (build unfinished.steps) then "excluded\n"
           else "refused the certificate does not exclude the pair\n");
        flush stdout
      end

(* Of a trace and what follows it. *)
let finish reader =
  ignore (known reader);
  if reader.certificate <> None then bad reader.path (reader.line + 1) "expected the rest of a certificate"

let fresh_reader path line =
  { path; threads = fresh_names (); locks = fresh_names (); variables = fresh_names (); barriers = fresh_names ();
    atomics = fresh_names (); line; events = []; known = None; certificate = None }

let read_line reader text =
  if text = "" || text.[0] = '#' then ()
  else if reader.certificate <> None then read_step reader text
  else if text.[0] = '@' then read_witness reader text
  else if begins_certificate text then read_pair reader text
  else if reader.known <> None then bad reader.path reader.line "expected no event behind the first witness or certificate"
  else read_event reader text

let read_channel path channel =
  let reader = fresh_reader path 0 in
  (try
     while true do
       let text = String.trim (input_line channel) in
       reader.line <- reader.line + 1;
       read_line reader text
     done
   with End_of_file -> ());
  finish reader

(* Many traces, a line '---' after each.  The witnesses of a trace that is not well formed are skipped. *)
let read_batch path channel =
  let reader = ref (fresh_reader path 0) and refused = ref false in
  let attempt f = if not !refused then try f () with Ill_formed (i, why) ->
    refused := true;
    Printf.printf "ill-formed %d %s\n" i (fault why)
  in
  (try
     while true do
       let text = String.trim (input_line channel) in
       !reader.line <- !reader.line + 1;
       if text = "---" then begin
         attempt (fun () -> finish !reader; print_string "well-formed\n");
         reader := fresh_reader path !reader.line;
         refused := false
       end
       else attempt (fun () -> read_line !reader text)
     done
   with End_of_file -> ())

let read_path read path =
  if path = "-" then read path stdin
  else begin
    let channel = try open_in_bin path with Sys_error why -> raise (Bad_input (why ^ ": expected a readable file")) in
    Fun.protect
      ~finally:(fun () -> close_in_noerr channel)
      (fun () -> try read path channel with Sys_error why -> raise (Bad_input (path ^ ": " ^ why)))
  end

let usage =
  "usage: omen-proved-checker FILE | -\n\
  \       omen-proved-checker --batch FILE | -\n\
   Reads a trace as STD text, with all operations of the event model. Lines '@ 0 3 1 14' behind it are witnesses: event\n\
   indices, a racing pair last. Answers each at once with a line: accepted, or refused, the step and the reason.\n\
   A line 'pair 3 9' begins a certificate that no correct reordering brings these two together, one step a line. Answers\n\
   each at once with a line: excluded, or refused.\n\
   A batch holds many traces, a line '---' behind each, and says of each whether it is well formed.\n\
   `omen check --proved` and `omen check --certificates` start it.\n\
   Exit codes: 0 done, 64 bad usage, 65 bad input.\n"

let () =
  (* Nearly everything that is allocated in the first pass stays. *)
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 400 };
  let run read path =
    let fail why =
      flush stdout;
      prerr_endline ("omen-proved-checker: " ^ why);
      exit 65
    in
    try
      read_path read path;
      exit 0
    with
    | Bad_input why -> fail why
    | Ill_formed (i, why) -> fail (Printf.sprintf "%s: event %d: %s" path i (fault why))
  in
  match List.tl (Array.to_list Sys.argv) with
  | [ "--help" ] -> print_string usage
  | [ "--batch"; path ] -> run read_batch path
  | [ path ] when path = "-" || path = "" || path.[0] <> '-' -> run read_channel path
  | _ ->
      prerr_string usage;
      exit 64
