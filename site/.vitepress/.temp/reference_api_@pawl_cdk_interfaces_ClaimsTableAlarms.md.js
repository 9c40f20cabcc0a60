import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ClaimsTableAlarms","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/cdk/interfaces/ClaimsTableAlarms.md","filePath":"reference/api/@pawl/cdk/interfaces/ClaimsTableAlarms.md"}');
const _sfc_main = { name: "reference/api/@pawl/cdk/interfaces/ClaimsTableAlarms.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-claimstablealarms" tabindex="-1">Interface: ClaimsTableAlarms <a class="header-anchor" href="#interface-claimstablealarms" aria-label="Permalink to &quot;Interface: ClaimsTableAlarms&quot;">​</a></h1><p>The alarms of a <a href="./../classes/ClaimsTable.html">ClaimsTable</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="readthrottles" tabindex="-1">readThrottles <a class="header-anchor" href="#readthrottles" aria-label="Permalink to &quot;readThrottles&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">readThrottles</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Alarm;</span></span></code></pre></div><hr><h3 id="writethrottles" tabindex="-1">writeThrottles <a class="header-anchor" href="#writethrottles" aria-label="Permalink to &quot;writeThrottles&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">writeThrottles</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Alarm;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/cdk/interfaces/ClaimsTableAlarms.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClaimsTableAlarms = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClaimsTableAlarms as default
};
