import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StatementCheckAlarms","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/cdk/interfaces/StatementCheckAlarms.md","filePath":"reference/api/@pawl/cdk/interfaces/StatementCheckAlarms.md"}');
const _sfc_main = { name: "reference/api/@pawl/cdk/interfaces/StatementCheckAlarms.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-statementcheckalarms" tabindex="-1">Interface: StatementCheckAlarms <a class="header-anchor" href="#interface-statementcheckalarms" aria-label="Permalink to &quot;Interface: StatementCheckAlarms&quot;">​</a></h1><p>The alarms of a <a href="./../classes/StatementCheck.html">StatementCheck</a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="findings" tabindex="-1">findings <a class="header-anchor" href="#findings" aria-label="Permalink to &quot;findings&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">findings</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Alarm;</span></span></code></pre></div><p>A run has ended with open findings.</p><hr><h3 id="silent" tabindex="-1">silent <a class="header-anchor" href="#silent" aria-label="Permalink to &quot;silent&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">silent</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: Alarm;</span></span></code></pre></div><p>No run has ended for too long.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/cdk/interfaces/StatementCheckAlarms.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StatementCheckAlarms = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StatementCheckAlarms as default
};
