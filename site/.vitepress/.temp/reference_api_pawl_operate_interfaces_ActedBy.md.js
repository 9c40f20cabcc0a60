import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ActedBy","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/operate/interfaces/ActedBy.md","filePath":"reference/api/pawl/operate/interfaces/ActedBy.md"}');
const _sfc_main = { name: "reference/api/pawl/operate/interfaces/ActedBy.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-actedby" tabindex="-1">Interface: ActedBy <a class="header-anchor" href="#interface-actedby" aria-label="Permalink to &quot;Interface: ActedBy&quot;">​</a></h1><p>The operator who acts, and why.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./DiscardPlan.html"><code>DiscardPlan</code></a></li><li><a href="./DiscardWanted.html"><code>DiscardWanted</code></a></li><li><a href="./RedrivePlan.html"><code>RedrivePlan</code></a></li><li><a href="./RedriveWanted.html"><code>RedriveWanted</code></a></li><li><a href="./ResolutionPlan.html"><code>ResolutionPlan</code></a></li><li><a href="./ResolutionsWanted.html"><code>ResolutionsWanted</code></a></li><li><a href="./ResolvedByOperator.html"><code>ResolvedByOperator</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="by" tabindex="-1">by <a class="header-anchor" href="#by" aria-label="Permalink to &quot;by&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">by</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div><p>The name of the person or the job.</p><hr><h3 id="note" tabindex="-1">note <a class="header-anchor" href="#note" aria-label="Permalink to &quot;note&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">note</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: string;</span></span></code></pre></div><p>Why, in at most 2,000 characters.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/operate/interfaces/ActedBy.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ActedBy = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ActedBy as default
};
