import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@pawl/cdk","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/cdk/index.md","filePath":"reference/api/@pawl/cdk/index.md"}');
const _sfc_main = { name: "reference/api/@pawl/cdk/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlcdk" tabindex="-1">@pawl/cdk <a class="header-anchor" href="#pawlcdk" aria-label="Permalink to &quot;@pawl/cdk&quot;">​</a></h1><h2 id="classes" tabindex="-1">Classes <a class="header-anchor" href="#classes" aria-label="Permalink to &quot;Classes&quot;">​</a></h2><ul><li><a href="./classes/ClaimsDashboard.html">ClaimsDashboard</a></li><li><a href="./classes/ClaimsTable.html">ClaimsTable</a></li><li><a href="./classes/Consumer.html">Consumer</a></li><li><a href="./classes/OpenClaimsSweep.html">OpenClaimsSweep</a></li><li><a href="./classes/OutboxRelay.html">OutboxRelay</a></li><li><a href="./classes/OutboxTable.html">OutboxTable</a></li><li><a href="./classes/StatementCheck.html">StatementCheck</a></li><li><a href="./classes/WiringError.html">WiringError</a></li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/ClaimRights.html">ClaimRights</a></li><li><a href="./interfaces/ClaimsDashboardProps.html">ClaimsDashboardProps</a></li><li><a href="./interfaces/ClaimsTableAlarms.html">ClaimsTableAlarms</a></li><li><a href="./interfaces/ClaimsTableProps.html">ClaimsTableProps</a></li><li><a href="./interfaces/ConsumerAlarms.html">ConsumerAlarms</a></li><li><a href="./interfaces/ConsumerProps.html">ConsumerProps</a></li><li><a href="./interfaces/OpenClaimsSweepAlarms.html">OpenClaimsSweepAlarms</a></li><li><a href="./interfaces/OpenClaimsSweepProps.html">OpenClaimsSweepProps</a></li><li><a href="./interfaces/OutboxRelayAlarms.html">OutboxRelayAlarms</a></li><li><a href="./interfaces/OutboxRelayProps.html">OutboxRelayProps</a></li><li><a href="./interfaces/OutboxTableProps.html">OutboxTableProps</a></li><li><a href="./interfaces/StatementCheckAlarms.html">StatementCheckAlarms</a></li><li><a href="./interfaces/StatementCheckProps.html">StatementCheckProps</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/ClaimMetric.html">ClaimMetric</a></li><li><a href="./type-aliases/RelayMetric.html">RelayMetric</a></li><li><a href="./type-aliases/SweepMetric.html">SweepMetric</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/grantClaims.html">grantClaims</a></li><li><a href="./functions/grantLocks.html">grantLocks</a></li><li><a href="./functions/grantOperate.html">grantOperate</a></li><li><a href="./functions/grantRestore.html">grantRestore</a></li><li><a href="./functions/grantStatements.html">grantStatements</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/cdk/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
