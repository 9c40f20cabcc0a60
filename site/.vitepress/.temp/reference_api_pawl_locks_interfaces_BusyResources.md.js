import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: BusyResources","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/locks/interfaces/BusyResources.md","filePath":"reference/api/pawl/locks/interfaces/BusyResources.md"}');
const _sfc_main = { name: "reference/api/pawl/locks/interfaces/BusyResources.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-busyresources" tabindex="-1">Interface: BusyResources <a class="header-anchor" href="#interface-busyresources" aria-label="Permalink to &quot;Interface: BusyResources&quot;">​</a></h1><p>Other holders have some of the resources. Ask again after <code>retryAfterMs</code>: then their leases have ended, unless renewed.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="by" tabindex="-1">by <a class="header-anchor" href="#by" aria-label="Permalink to &quot;by&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">by</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: readonly LockedResource[];</span></span></code></pre></div><p>Empty when no holder in particular was in the way.</p><hr><h3 id="outcome" tabindex="-1">outcome <a class="header-anchor" href="#outcome" aria-label="Permalink to &quot;outcome&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">outcome</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;busy&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><hr><h3 id="retryafterms" tabindex="-1">retryAfterMs <a class="header-anchor" href="#retryafterms" aria-label="Permalink to &quot;retryAfterMs&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">retryAfterMs</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: number;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/locks/interfaces/BusyResources.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const BusyResources = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  BusyResources as default
};
