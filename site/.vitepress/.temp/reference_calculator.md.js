import { resolveComponent, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent } from "vue/server-renderer";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Cost calculator","description":"","frontmatter":{},"headers":[],"relativePath":"reference/calculator.md","filePath":"reference/calculator.md"}');
const _sfc_main = { name: "reference/calculator.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_CostCalculator = resolveComponent("CostCalculator");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="cost-calculator" tabindex="-1">Cost calculator <a class="header-anchor" href="#cost-calculator" aria-label="Permalink to &quot;Cost calculator&quot;">​</a></h1>`);
  _push(ssrRenderComponent(_component_CostCalculator, null, null, _parent));
  _push(`<p>The calculator takes the durations that <a href="./../evidence/cost.html">the benchmark</a> has measured, and the prices of <code>bench/cost/money/prices.ts</code>. Between two measured points it draws a line. Beyond them it goes on with the last measured value, except for the time of the handler, which it adds. It runs on this page, and sends nothing.</p><p>It counts first deliveries: no duplicates, no failures, no polls of an empty queue. <a href="./cost.html">What it costs</a> says what those add, and how to pay less.</p><p>In a file instead of the site, read <a href="./../evidence/cost.html#a-million-messages">the table of a million messages</a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/calculator.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const calculator = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  calculator as default
};
