import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: Delivery","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/@pawl/testing/type-aliases/Delivery.md","filePath":"reference/api/@pawl/testing/type-aliases/Delivery.md"}');
const _sfc_main = { name: "reference/api/@pawl/testing/type-aliases/Delivery.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-delivery" tabindex="-1">Type Alias: Delivery <a class="header-anchor" href="#type-alias-delivery" aria-label="Permalink to &quot;Type Alias: Delivery&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Delivery</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;together&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;apart&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;regrouped&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;in-turn&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;reversed&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;long-wait&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>How the traffic comes.</p><p><code>together</code>: in batches as large as they may be; of callers, all at once. <code>apart</code>: each message alone, all at once; what comes again comes in batches. <code>regrouped</code>: in batches, and what comes again comes alone. <code>in-turn</code>: each alone, and the next when it has ended; a repetition just before a late request of the one before it is applied. <code>reversed</code>: together, the last first; never of a FIFO queue. <code>long-wait</code>: a repetition, or else the last, waits for as long as a queue keeps it (<code>longestWaitMs</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/@pawl/testing/type-aliases/Delivery.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Delivery = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Delivery as default
};
