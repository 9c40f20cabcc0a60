import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/workflows","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/workflows/index.md","filePath":"reference/api/pawl/workflows/index.md"}');
const _sfc_main = { name: "reference/api/pawl/workflows/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlworkflows" tabindex="-1">pawl/workflows <a class="header-anchor" href="#pawlworkflows" aria-label="Permalink to &quot;pawl/workflows&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/EndContext.html">EndContext</a></li><li><a href="./interfaces/EndTold.html">EndTold</a></li><li><a href="./interfaces/Execution.html">Execution</a></li><li><a href="./interfaces/NamedWorkflow.html">NamedWorkflow</a></li><li><a href="./interfaces/StartedExecution.html">StartedExecution</a></li><li><a href="./interfaces/UnnamedWorkflow.html">UnnamedWorkflow</a></li><li><a href="./interfaces/WaitForEnd.html">WaitForEnd</a></li><li><a href="./interfaces/WaitingOptions.html">WaitingOptions</a></li><li><a href="./interfaces/WorkflowCall.html">WorkflowCall</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/EndHandler.html">EndHandler</a></li><li><a href="./type-aliases/Started.html">Started</a></li><li><a href="./type-aliases/StartOnceOptions.html">StartOnceOptions</a></li><li><a href="./type-aliases/Workflow.html">Workflow</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/executionEnded.html">executionEnded</a></li><li><a href="./functions/startAgain.html">startAgain</a></li><li><a href="./functions/startExecution.html">startExecution</a></li><li><a href="./functions/startOnce.html">startOnce</a></li><li><a href="./functions/waitingExecutions.html">waitingExecutions</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="sqshandler" tabindex="-1">SqsHandler <a class="header-anchor" href="#sqshandler" aria-label="Permalink to &quot;SqsHandler&quot;">​</a></h3><p>Re-exports <a href="./../postgres/type-aliases/SqsHandler.html">SqsHandler</a></p><hr><h3 id="sweptexecutions" tabindex="-1">SweptExecutions <a class="header-anchor" href="#sweptexecutions" aria-label="Permalink to &quot;SweptExecutions&quot;">​</a></h3><p>Re-exports <a href="./../sweep/interfaces/SweptExecutions.html">SweptExecutions</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/workflows/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
