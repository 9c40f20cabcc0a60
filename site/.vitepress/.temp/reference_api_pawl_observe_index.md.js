import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/observe","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/observe/index.md","filePath":"reference/api/pawl/observe/index.md"}');
const _sfc_main = { name: "reference/api/pawl/observe/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlobserve" tabindex="-1">pawl/observe <a class="header-anchor" href="#pawlobserve" aria-label="Permalink to &quot;pawl/observe&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/EventSpan.html">EventSpan</a></li><li><a href="./interfaces/HashOptions.html">HashOptions</a></li><li><a href="./interfaces/MetricOptions.html">MetricOptions</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/Listener.html">Listener</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/allOf.html">allOf</a></li><li><a href="./functions/hashedKeys.html">hashedKeys</a></li><li><a href="./functions/metricEvents.html">metricEvents</a></li><li><a href="./functions/spanEvents.html">spanEvents</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="claimevent" tabindex="-1">ClaimEvent <a class="header-anchor" href="#claimevent" aria-label="Permalink to &quot;ClaimEvent&quot;">​</a></h3><p>Re-exports <a href="./../type-aliases/ClaimEvent.html">ClaimEvent</a></p><hr><h3 id="logevents" tabindex="-1">logEvents <a class="header-anchor" href="#logevents" aria-label="Permalink to &quot;logEvents&quot;">​</a></h3><p>Re-exports <a href="./../functions/logEvents.html">logEvents</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/observe/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
