import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: ClientOf<Pool>","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/postgres/type-aliases/ClientOf.md","filePath":"reference/api/pawl/postgres/type-aliases/ClientOf.md"}');
const _sfc_main = { name: "reference/api/pawl/postgres/type-aliases/ClientOf.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-clientof" tabindex="-1">Type Alias: ClientOf&lt;Pool&gt; <a class="header-anchor" href="#type-alias-clientof" aria-label="Permalink to &quot;Type Alias: ClientOf\\&lt;Pool\\&gt;&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ClientOf</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Pool</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt; </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Pool</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> extends</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> ?</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Client</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> :</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> PostgresClient</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>The connections of a pool, as its own types have them: <code>PoolClient</code> of <code>pg</code>.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><h3 id="pool" tabindex="-1">Pool <a class="header-anchor" href="#pool" aria-label="Permalink to &quot;Pool&quot;">​</a></h3><p><code>Pool</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/postgres/type-aliases/ClientOf.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClientOf = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClientOf as default
};
