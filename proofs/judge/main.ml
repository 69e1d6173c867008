(* omen-proved: reads STD traces and prints the answers of the proved detectors, or of the proved witness checker.

   The answers come from Judge_core, which is extracted from Coq (Judge.v, Witness.v).  The parts written by hand here, and
   so trusted, read the text, number names, and print JSON. *)

open Judge_core

exception Bad_input of string

let bad path line expected = raise (Bad_input (Printf.sprintf "%s:%d: %s" path line expected))

(* Names are numbered 1, 2, 3 ... in order of appearance, per kind. *)
type names = { table : (string, positive) Hashtbl.t; mutable count : int }

let fresh_names () = { table = Hashtbl.create 16; count = 0 }

let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 0 then XO (positive_of_int (n / 2)) else XI (positive_of_int (n / 2))

let number names name =
  match Hashtbl.find_opt names.table name with
  | Some id -> id
  | None ->
      names.count <- names.count + 1;
      let id = positive_of_int names.count in
      Hashtbl.add names.table name id;
      id

(* One trace, as it is read. *)
type reader = {
  threads : names;
  locks : names;
  variables : names;
  mutable events : event list;  (* last first *)
  mutable lines : int list;  (* the line of each event, last first *)
  mutable length : int;
  mutable witnesses : int list list;  (* last first *)
}

let fresh_reader () =
  { threads = fresh_names (); locks = fresh_names (); variables = fresh_names (); events = []; lines = []; length = 0;
    witnesses = [] }

let is_name s = s <> "" && not (String.exists (fun c -> c = '|' || c = '(' || c = ')') s)

(* OP(OPERAND), or OP alone. *)
let split_operation path line text =
  match String.index_opt text '(' with
  | None -> (text, "")
  | Some i ->
      let last = String.length text - 1 in
      if text.[last] <> ')' then bad path line (Printf.sprintf "expected OP(OPERAND), found '%s'" text);
      (String.sub text 0 i, String.trim (String.sub text (i + 1) (last - i - 1)))

let read_event path line reader text =
  let thread, operation =
    match String.split_on_char '|' text with
    | [ thread; operation ] | [ thread; operation; _ ] -> (String.trim thread, String.trim operation)
    | _ -> bad path line (Printf.sprintf "expected THREAD|OP(OPERAND)|LOCATION, found '%s'" text)
  in
  if not (is_name thread) then bad path line (Printf.sprintf "expected a thread name, found '%s'" thread);
  let op, operand = split_operation path line operation in
  let named what names =
    if not (is_name operand) then bad path line (Printf.sprintf "%s: expected the name of a %s, found '%s'" op what operand);
    number names operand
  in
  let thread = number reader.threads thread in
  let action =
    match op with
    | "r" -> Read (named "variable" reader.variables)
    | "w" -> Write (named "variable" reader.variables)
    | "acq" -> Acquire (named "lock" reader.locks)
    | "rel" -> Release (named "lock" reader.locks)
    | "fork" -> Fork (named "thread" reader.threads)
    | "join" -> Join (named "thread" reader.threads)
    | "begin" -> Begin
    | "end" -> End
    | _ -> bad path line (Printf.sprintf "expected one of r w acq rel fork join begin end, found '%s'" op)
  in
  reader.events <- { thread; action } :: reader.events;
  reader.lines <- line :: reader.lines;
  reader.length <- reader.length + 1

let expectation = function
  | ActsAfterJoin -> "expected no event of a thread that has been joined"
  | AcquiresHeldLock -> "expected an acquire of a lock that is free or held by this thread"
  | ReleasesUnheldLock -> "expected a release of a lock that this thread holds"
  | ForksItself -> "expected a fork of another thread"
  | ForksOldThread -> "expected a fork of a thread that has not run and was not forked or joined"
  | JoinsItself -> "expected a join of another thread"

(* JSON *)

let quote s =
  let b = Buffer.create (String.length s + 2) in
  Buffer.add_char b '"';
  String.iter
    (function
      | '"' -> Buffer.add_string b "\\\""
      | '\\' -> Buffer.add_string b "\\\\"
      | c when Char.code c < 0x20 -> Buffer.add_string b (Printf.sprintf "\\u%04x" (Char.code c))
      | c -> Buffer.add_char b c)
    s;
  Buffer.add_char b '"';
  Buffer.contents b

let first_race = function
  | None -> "null"
  | Some i -> Printf.sprintf "{\"event\":%d}" i

let print_answer path index reader vector_clock fast_track fto racy =
  let races = String.concat "," (List.map (fun i -> Printf.sprintf "{\"event\":%d}" i) racy) in
  Printf.printf "{\"omen\":1,\"trace\":{\"path\":%s,%s\"events\":%d,\"threads\":%d,\"locks\":%d,\"variables\":%d}," (quote path)
    (match index with None -> "" | Some i -> Printf.sprintf "\"index\":%d," i)
    reader.length reader.threads.count reader.locks.count reader.variables.count;
  Printf.printf "\"results\":[{\"analysis\":\"proved-vectorclock\",\"first_race\":%s,\"races\":[%s],\"racy_events\":%d},"
    (first_race vector_clock) races (List.length racy);
  Printf.printf "{\"analysis\":\"proved-fasttrack\",\"first_race\":%s}," (first_race fast_track);
  Printf.printf "{\"analysis\":\"proved-fto\",\"first_race\":%s}]}\n" (first_race fto)

let print_verdict path index trace witness =
  Printf.printf "{\"omen\":1,\"trace\":{\"path\":%s,\"index\":%d},\"witness\":[%s],\"lw\":%b,\"ca\":%b}\n" (quote path) index
    (String.concat "," (List.map string_of_int witness))
    (check_lw trace witness) (check_ca trace witness)

type mode = One | Batch | Witnesses

let answer path mode index reader =
  let trace = List.rev reader.events in
  match judge trace with
  | IllFormed (i, why) -> bad path (List.nth (List.rev reader.lines) i) (expectation why)
  | FirstRaces (vector_clock, fast_track, fto) -> (
      match mode with
      | One -> print_answer path None reader vector_clock fast_track fto (racy_events trace)
      | Batch -> print_answer path (Some index) reader vector_clock fast_track fto (racy_events trace)
      | Witnesses -> List.iter (print_verdict path index trace) (List.rev reader.witnesses))

(* Files *)

let separator = "---"

(* A witness: '@', then the indices of the events in the order of execution, the pair last. *)
let read_witness path line reader text =
  let indices =
    String.sub text 1 (String.length text - 1)
    |> String.split_on_char ' '
    |> List.filter (fun word -> word <> "")
    |> List.map (fun word ->
           match int_of_string_opt word with
           | Some i when i >= 0 -> i
           | _ -> bad path line (Printf.sprintf "expected the index of an event, found '%s'" word))
  in
  reader.witnesses <- indices :: reader.witnesses

let read_channel path mode channel =
  let batch = mode <> One in
  let line = ref 0 and index = ref 0 and reader = ref (fresh_reader ()) and empty = ref true in
  let finish () =
    answer path mode !index !reader;
    incr index;
    reader := fresh_reader ();
    empty := true
  in
  (try
     while true do
       let text = String.trim (input_line channel) in
       incr line;
       if batch && text = separator then finish ()
       else begin
         empty := false;
         if text = "" || text.[0] = '#' then ()
         else if mode = Witnesses && text.[0] = '@' then read_witness path !line !reader text
         else read_event path !line !reader text
       end
     done
   with End_of_file -> ());
  if not (batch && !empty) then finish ()

let read_path path mode =
  if path = "-" then read_channel path mode stdin
  else begin
    let channel = try open_in_bin path with Sys_error why -> raise (Bad_input (why ^ ": expected a readable file")) in
    Fun.protect
      ~finally:(fun () -> close_in_noerr channel)
      (fun () -> try read_channel path mode channel with Sys_error why -> raise (Bad_input (path ^ ": " ^ why)))
  end

let usage =
  "usage: omen-proved TRACE | -\n\
  \       omen-proved --batch FILE | -\n\
  \       omen-proved --witnesses FILE | -\n\
   Prints, for each STD trace, one line of JSON with the first race that the proved detectors report.\n\
   A batch holds many traces, with a line '---' between them.\n\
   With --witnesses it is a batch in which lines '@ 0 3 1 14' name event indices, a racing pair last; prints for each\n\
   whether the proved checker accepts it as a witness, with each read's last writer kept (lw), with the order of all\n\
   conflicting accesses kept (ca).\n\
   Exit codes: 0 done, 64 bad usage, 65 bad input.\n"

let () =
  let run path mode =
    try
      read_path path mode;
      exit 0
    with Bad_input why ->
      flush stdout;
      prerr_endline ("omen-proved: " ^ why);
      exit 65
  in
  match List.tl (Array.to_list Sys.argv) with
  | [ "--help" ] -> print_string usage
  | [ "--batch"; path ] -> run path Batch
  | [ "--witnesses"; path ] -> run path Witnesses
  | [ path ] when path = "-" || path = "" || path.[0] <> '-' -> run path One
  | _ ->
      prerr_string usage;
      exit 64
