import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: LockTransition","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/locks/type-aliases/LockTransition.md","filePath":"reference/api/pawl/locks/type-aliases/LockTransition.md"}');
const _sfc_main = { name: "reference/api/pawl/locks/type-aliases/LockTransition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-locktransition" tabindex="-1">Type Alias: LockTransition <a class="header-anchor" href="#type-alias-locktransition" aria-label="Permalink to &quot;Type Alias: LockTransition&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> LockTransition</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Transition</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">LockRecord</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt;;</span></span></code></pre></div><p>What the owner of a lock may make of it: the record to write if it is still the one that was found; <code>applied</code>, when that was written before and the response lost; <code>stale</code>, when the lock was taken over, or handed to the holder&#39;s next attempt.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/locks/type-aliases/LockTransition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LockTransition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LockTransition as default
};
