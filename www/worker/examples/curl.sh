#!/bin/sh
# The life of a memory with curl. MEMFOLD_URL and MEMFOLD_TOKEN: as `make worker` prints them.
set -eu
call() { method=$1 path=$2; shift 2; curl -sS --fail-with-body -X "$method" "$MEMFOLD_URL$path" -H "authorization: Bearer $MEMFOLD_TOKEN" "$@"; echo; }
json='content-type: application/json'

call POST /v1/memories -H "$json" -H 'idempotency-key: note-1' -d '{"content":"The board meeting is on 22 January at 2 pm","threadId":"board"}'
call POST /v1/memories -H "$json" -d '{"content":"The board meeting has moved from 2 pm to 3 pm","threadId":"board"}'
call POST /v1/search -H "$json" -d '{"text":"When is the board meeting?","limit":1}'
call GET '/v1/log?newestFirst=true&limit=2'
call GET /v1/check
