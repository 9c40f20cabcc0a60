import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PostgresRows","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/postgres/interfaces/PostgresRows.md","filePath":"reference/api/pawl/postgres/interfaces/PostgresRows.md"}');
const _sfc_main = { name: "reference/api/pawl/postgres/interfaces/PostgresRows.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-postgresrows" tabindex="-1">Interface: PostgresRows <a class="header-anchor" href="#interface-postgresrows" aria-label="Permalink to &quot;Interface: PostgresRows&quot;">​</a></h1><p>What a statement returned.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><h3 id="command" tabindex="-1">command? <a class="header-anchor" href="#command" aria-label="Permalink to &quot;command?&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly command</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> string;</span></span></code></pre></div><p><code>COMMIT</code>, or <code>ROLLBACK</code> where PostgreSQL made one of a commit.</p><hr><h3 id="rows" tabindex="-1">rows <a class="header-anchor" href="#rows" aria-label="Permalink to &quot;rows&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly </span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">rows</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">: readonly object[];</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/postgres/interfaces/PostgresRows.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PostgresRows = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PostgresRows as default
};
