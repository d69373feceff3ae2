#!/bin/sh
# Asks svc serve through LiteLLM's proxy. Requests to the proxy are in one of two dialects, and the proxy sends them on in one of two
# dialects, which the model chooses. All four ways must give the answers that svc serve gives without the proxy. The questions use only
# what all dialects support.
#
#     python3 -m venv venv && venv/bin/pip install 'litellm[proxy]' && npm run build
#     LITELLM=venv/bin/litellm sh test/outside/litellm.sh
cd "$(dirname "$0")/../.." || exit 1
folder=$(mktemp -d) || exit
# `pids` has the ids of two processes, so it is not quoted.
trap 'kill $pids; rm -r "$folder"' EXIT

cat >"$folder/config.yaml" <<END
model_list:
  - model_name: typesafe/svc-latest
    litellm_params: { model: typesafe/svc-latest, api_base: "http://127.0.0.1:8795", api_key: k }
  - model_name: openai/svc-latest
    litellm_params: { model: openai/svc-latest, api_base: "http://127.0.0.1:8795/v1", api_key: k }
END
cat >"$folder/request.json" <<END
{"state": "I was charged twice this month, and nobody answers.", "questions": {
  "billing": {"type": "noul", "instructions": "Was the customer charged twice?"},
  "tone": {"type": "choice", "instructions": "Which tone?", "criteria": {"calm": "Nobody is charged", "angry": null}},
  "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["not urgent", "charged twice", "nobody answers"]}}}
END

node dist/bin.js serve --port 8795 2>"$folder/svc.log" & pids=$!
# Without these variables LiteLLM downloads a list of prices, and does not start without a master key.
LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY=true \
  "${LITELLM:-litellm}" --config "$folder/config.yaml" --host 127.0.0.1 --port 4010 >"$folder/litellm.log" 2>&1 & pids="$pids $!"
tries=0
until curl -sf -o "$folder/alive" http://127.0.0.1:4010/health/liveliness; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { tail "$folder/litellm.log"; exit 1; }
  sleep 1
done

# Prints the answers only, with sorted members.
ask() {
  node dist/bin.js ask -f "$folder/request.json" --api-key k "$@" | python3 -c \
    'import json, sys; print(json.dumps(json.load(sys.stdin)["answers"], sort_keys=True))'
}
expected=$(ask --base-url http://127.0.0.1:8795)
failed=0
for model in typesafe/svc-latest openai/svc-latest; do
  for dialect in systemone decisions; do
    got=$(ask --provider litellm --base-url http://127.0.0.1:4010 --dialect "$dialect" --model "$model")
    if [ "$got" = "$expected" ]; then echo "equal: $dialect to LiteLLM, $model behind it"
    else echo "different: $dialect to LiteLLM, $model behind it"; echo "$got"; failed=1; fi
  done
done
[ "$failed" = 0 ] || echo "expected: $expected"
exit "$failed"
