import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Evidence: a deployment","description":"","frontmatter":{},"headers":[],"relativePath":"evidence/e2e-deploy.md","filePath":"evidence/e2e-deploy.md"}');
const _sfc_main = { name: "evidence/e2e-deploy.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="evidence-a-deployment" tabindex="-1">Evidence: a deployment <a class="header-anchor" href="#evidence-a-deployment" aria-label="Permalink to &quot;Evidence: a deployment&quot;">​</a></h1><p>A recorded run of <a href="./../guides/e2e-deploy.html"><code>npm run e2e -- deploy --orders 30 --payments 12 --repayments 3 --timeout 5</code></a>, on 22 November 2026 at commit 0cbc1d2, with an incident that an operator settles. It took 190 s and exited with 0. <a href="e2e-deploy.txt" target="_self">The whole output</a> ends with:</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span>Messages</span></span>
<span class="line"><span>  sent               132   for 30 orders; 72 of them for an effect that had its message already</span></span>
<span class="line"><span>  suppressed         125   duplicates whose effect had happened already</span></span>
<span class="line"><span>  deferred             8   given back to the queue, while the claim was held by another worker</span></span>
<span class="line"><span>  taken over          54   claims whose worker was gone, or whose outcome was in doubt</span></span>
<span class="line"><span>  reconciled          51   times the provider was asked: 20 applied, 31 not</span></span>
<span class="line"><span>  dead-lettered        8   moved out of the way, to be looked at: a parked mail once per message</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Troubles</span></span>
<span class="line"><span>  host failures       11   while a function was in the middle of an effect: 33 processes of functions died</span></span>
<span class="line"><span>  provider faults     38   calls that failed, hung until the function timed out, or were answered late</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Effects           orders     done  doubled   parked  set aside     lost</span></span>
<span class="line"><span>  emails               30       27        0        4          0        0</span></span>
<span class="line"><span>  gift cards           30       30        0        0          0        0</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Payments</span></span>
<span class="line"><span>  reported            12   with 99 callbacks to the HTTP API; 4 met a queue that failed</span></span>
<span class="line"><span>  entries             24   in the ledger: a debit and a credit for each</span></span>
<span class="line"><span>  drift                0   payments whose entries are not what the processor says</span></span>
<span class="line"><span>  findings             3   in its statement: missing-here payment-00003-again, differs payment-00003, missing-there payment-00001</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Repayments</span></span>
<span class="line"><span>  requests             3   each sent twice, for 180 debts</span></span>
<span class="line"><span>  repaid             180   debts, 0 of them twice</span></span>
<span class="line"><span>  locks left           0   debts that are still locked</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Deployed, updated and destroyed; nothing lost, nothing doubled, after 189.7 s.</span></span></code></pre></div><p>Of the 30 mails, 27 went out, each once. The other 3 are among the 4 parked ones: a worker died during the call, or the mail service did not say what it had done. pawl cannot ask the mail service. One of the 4 parked mails had gone out.</p><p>Many of the 99 callbacks met a function that had no free place: the run lets three of them run at once, and the processor calls again.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("evidence/e2e-deploy.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const e2eDeploy = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  e2eDeploy as default
};
