import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"pawl/http","description":"","frontmatter":{},"headers":[],"relativePath":"reference/api/pawl/http/index.md","filePath":"reference/api/pawl/http/index.md"}');
const _sfc_main = { name: "reference/api/pawl/http/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="pawlhttp" tabindex="-1">pawl/http <a class="header-anchor" href="#pawlhttp" aria-label="Permalink to &quot;pawl/http&quot;">​</a></h1><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/HeaderKeyOptions.html">HeaderKeyOptions</a></li><li><a href="./interfaces/HttpEvent.html">HttpEvent</a></li><li><a href="./interfaces/HttpOptions.html">HttpOptions</a></li><li><a href="./interfaces/HttpRequest.html">HttpRequest</a></li><li><a href="./interfaces/HttpResponse.html">HttpResponse</a></li><li><a href="./interfaces/OwnResponse.html">OwnResponse</a></li><li><a href="./interfaces/RequestContext.html">RequestContext</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/ProblemReason.html">ProblemReason</a></li><li><a href="./type-aliases/RequestKey.html">RequestKey</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/claimOf.html">claimOf</a></li><li><a href="./functions/headerKey.html">headerKey</a></li><li><a href="./functions/httpOnce.html">httpOnce</a></li><li><a href="./functions/onceOverHttp.html">onceOverHttp</a></li><li><a href="./functions/scopedKey.html">scopedKey</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="attributes" tabindex="-1">Attributes <a class="header-anchor" href="#attributes" aria-label="Permalink to &quot;Attributes&quot;">​</a></h3><p>Re-exports <a href="./../type-aliases/Attributes.html">Attributes</a></p><hr><h3 id="bodyfield" tabindex="-1">bodyField <a class="header-anchor" href="#bodyfield" aria-label="Permalink to &quot;bodyField&quot;">​</a></h3><p>Re-exports <a href="./../sqs/functions/bodyField.html">bodyField</a></p><hr><h3 id="bodyfield-1" tabindex="-1">BodyField <a class="header-anchor" href="#bodyfield-1" aria-label="Permalink to &quot;BodyField&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/BodyField.html">BodyField</a></p><hr><h3 id="claim" tabindex="-1">Claim <a class="header-anchor" href="#claim" aria-label="Permalink to &quot;Claim&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/Claim.html">Claim</a></p><hr><h3 id="keyvalue" tabindex="-1">KeyValue <a class="header-anchor" href="#keyvalue" aria-label="Permalink to &quot;KeyValue&quot;">​</a></h3><p>Re-exports <a href="./../type-aliases/KeyValue.html">KeyValue</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/api/pawl/http/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
