/** `svc help engines`, in Markdown: which engine of `svc serve` to take. */
export const engines = `# Engines of svc serve

An engine is what the answers of \`svc serve\` come from: \`--engine <name>\`.

* **lexical** (the default) compares the words of a question with those of the
  state. It needs nothing, and it knows no meaning: on 1,976 labelled rows of
  others it was right in 37 %, wrong in 8 % and without an opinion in 54 %. It
  reads 32,768 words at most. Take it to try svc out and to write tests, and
  never for a decision.

* **local** runs a language model in the process of svc serve. Take it for real
  answers on your own machine, without a server for models:

      npm install --prefix ~/svc-local --omit=optional ./svc-0.1.0.tgz \\
        node-llama-cpp@3.22 @node-llama-cpp/linux-x64@3.22
      ~/svc-local/node_modules/.bin/svc serve --engine local --engine-download \\
        --engine-model hf:unsloth/Qwen3-4B-Instruct-2507-GGUF:Q4_K_M

  The folder is one of its own, since with --global npm omits nothing, and 725 MB
  come instead of 85. The model's file has 2.5 GB and takes about 5 GB of memory.
  On a machine without a graphics card give callers time: \`svc ask --timeout 2m\`.
  With one, take its binary too: \`@node-llama-cpp/linux-x64-cuda\`,
  \`linux-x64-vulkan\`; a Mac's is \`mac-arm64-metal\`. Where other programs compute
  too, leave them a core: \`--engine-threads\`.

* **openai** reads probabilities off any OpenAI-compatible endpoint that returns
  log-probabilities: vLLM, SGLang, llama.cpp, Ollama, hosted ones. Take it where
  a model is served already, and for many callers at once:

      svc serve --engine openai --engine-url http://127.0.0.1:8000/v1 --engine-model qwen

* **upstream** hands requests on to another typed-questions service. Take it to
  put keys, limits and logs of your own before that one:

      svc serve --engine upstream --engine-url https://…

* **replay** gives the answers that were recorded in a folder of scenarios. Take
  it for tests of your own program, without a network:

      svc serve --fixtures fixtures

Before you trust an engine with a decision, measure it on rows of your own:
\`svc help batch\`, \`svc help eval\`.`
