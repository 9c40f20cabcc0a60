import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Fates","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/interfaces/Fates.md","filePath":"reference/api/@pawl/testing/interfaces/Fates.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/interfaces/Fates.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-fates" tabindex="-1">Interface: Fates <a class="header-anchor" href="#interface-fates" aria-label="Permalink to &quot;Interface: Fates&quot;">​</a></h1><p>How the messages of all runs ended. <code>parked</code> ones are in the dead-letter queue, because an operator has to decide.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="acknowledged" tabindex="-1">acknowledged <a class="header-anchor" href="#acknowledged" aria-label="Permalink to &quot;acknowledged&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">acknowledged</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div><hr><h3 id="deadlettered" tabindex="-1">deadLettered <a class="header-anchor" href="#deadlettered" aria-label="Permalink to &quot;deadLettered&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">deadLettered</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div><hr><h3 id="parked" tabindex="-1">parked <a class="header-anchor" href="#parked" aria-label="Permalink to &quot;parked&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">parked</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div><hr><h3 id="stuck" tabindex="-1">stuck <a class="header-anchor" href="#stuck" aria-label="Permalink to &quot;stuck&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">stuck</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/interfaces/Fates.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Fates = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Fates as default
};
