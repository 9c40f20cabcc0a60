import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@pawl/rehearsal","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/rehearsal/index.md","filePath":"reference/api/@pawl/rehearsal/index.md"}');
const _sfc_main = { name: "reference/api/@pawl/rehearsal/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlrehearsal" tabindex="-1">@pawl/rehearsal <a class="header-anchor" href="#pawlrehearsal" aria-label="Permalink to &quot;@pawl/rehearsal&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/App.html">App</a></li><li><a href="./interfaces/AppApi.html">AppApi</a></li><li><a href="./interfaces/AppBucket.html">AppBucket</a></li><li><a href="./interfaces/AppFunction.html">AppFunction</a></li><li><a href="./interfaces/AppQueue.html">AppQueue</a></li><li><a href="./interfaces/AppResponse.html">AppResponse</a></li><li><a href="./interfaces/AppSchedule.html">AppSchedule</a></li><li><a href="./interfaces/AppTable.html">AppTable</a></li><li><a href="./interfaces/AppTopic.html">AppTopic</a></li><li><a href="./interfaces/Deployment.html">Deployment</a></li><li><a href="./interfaces/Faults.html">Faults</a></li><li><a href="./interfaces/Given.html">Given</a></li><li><a href="./interfaces/HttpProviderOptions.html">HttpProviderOptions</a></li><li><a href="./interfaces/Intended.html">Intended</a></li><li><a href="./interfaces/Provider.html">Provider</a></li><li><a href="./interfaces/ProviderRequest.html">ProviderRequest</a></li><li><a href="./interfaces/ProviderResponse.html">ProviderResponse</a></li><li><a href="./interfaces/PublishOptions.html">PublishOptions</a></li><li><a href="./interfaces/Rehearsal.html">Rehearsal</a></li><li><a href="./interfaces/RehearsalOptions.html">RehearsalOptions</a></li><li><a href="./interfaces/RequestOptions.html">RequestOptions</a></li><li><a href="./interfaces/SendOptions.html">SendOptions</a></li><li><a href="./interfaces/Stub.html">Stub</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/Counted.html">Counted</a></li><li><a href="./type-aliases/Counts.html">Counts</a></li></ul><h2 id="variables" tabindex="-1">Variables <a class="header-anchor" href="#variables" aria-label="Permalink to &quot;Variables&quot;">​</a></h2><ul><li><a href="./variables/defaultFaults.html">defaultFaults</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/httpProvider.html">httpProvider</a></li><li><a href="./functions/mailer.html">mailer</a></li><li><a href="./functions/rehearsal.html">rehearsal</a></li><li><a href="./functions/rows.html">rows</a></li><li><a href="./functions/times.html">times</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/rehearsal/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
