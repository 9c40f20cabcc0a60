import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/workflows/step-functions","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/workflows/step-functions/index.md","filePath":"reference/api/pawl/workflows/step-functions/index.md"}');
const _sfc_main = { name: "reference/api/pawl/workflows/step-functions/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlworkflowsstep-functions" tabindex="-1">pawl/workflows/step-functions <a class="header-anchor" href="#pawlworkflowsstep-functions" aria-label="Permalink to &quot;pawl/workflows/step-functions&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/StepFunctionsOptions.html">StepFunctionsOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/stepFunctions.html">stepFunctions</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="namedworkflow" tabindex="-1">NamedWorkflow <a class="header-anchor" href="#namedworkflow" aria-label="Permalink to &quot;NamedWorkflow&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/NamedWorkflow.html">NamedWorkflow</a></p><hr><h3 id="unnamedworkflow" tabindex="-1">UnnamedWorkflow <a class="header-anchor" href="#unnamedworkflow" aria-label="Permalink to &quot;UnnamedWorkflow&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/UnnamedWorkflow.html">UnnamedWorkflow</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/workflows/step-functions/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
