// frames: lets OGRE 1.12 draw a heightmap when it is asked to, and says how long frames take.
//
//   frames HEIGHTS SIZE SPACING unlit|lit
//
// HEIGHTS are SIZE² float32, little endian, northern row first, SPACING metres apart. Each line
// of standard input is a view, X Y Z PITCH TAU FRAMES: metres east, up and south of the first
// sample, degrees up, OGRE's maximum pixel error; the eye looks north, and the picture has
// 1920 × 1080 pixels and 60 degrees across. After the levels of detail are up to date so many
// frames are drawn into a texture, one after the other, and a line is printed: milliseconds and
// processor milliseconds a frame, triangles, batches. unlit is one colour; lit is OGRE's own
// terrain material with a sun, normal map and light map, and one layer of one colour. Batches have 33 to 65
// vertices a side. OGRE_PICTURE names a file for the last picture. Needs an X display.
#include <Ogre.h>
#include <OgreTerrain.h>
#include <OgreTerrainMaterialGeneratorA.h>

#include <GL/gl.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <unistd.h>
#include <vector>

using namespace Ogre;

// Flat is a material of one colour, for terrains without maps.
struct Flat : TerrainMaterialGenerator {
    struct FlatProfile : Profile {
        explicit FlatProfile(TerrainMaterialGenerator* g) : Profile(g, "flat", "flat") {}
        MaterialPtr generate(const Terrain*) override {
            MaterialPtr m = MaterialManager::getSingleton().getByName("flat");
            if (m) return m;
            m = MaterialManager::getSingleton().create("flat", RGN_DEFAULT);
            m->setLightingEnabled(false);
            return m;
        }
        MaterialPtr generateForCompositeMap(const Terrain* t) override { return generate(t); }
        bool isVertexCompressionSupported() const override { return false; }
        uint8 getMaxLayers(const Terrain*) const override { return 1; }
        void setLightmapEnabled(bool) override {}
        void updateParams(const MaterialPtr&, const Terrain*) override {}
        void updateParamsForCompositeMap(const MaterialPtr&, const Terrain*) override {}
        void requestOptions(Terrain* t) override {
            t->_setMorphRequired(false);
            t->_setNormalMapRequired(false);
            t->_setLightMapRequired(false);
            t->_setCompositeMapRequired(false);
        }
    };
    Flat() {
        mProfiles.push_back(OGRE_NEW FlatProfile(this));
        setActiveProfile(mProfiles.back());
    }
    bool canGenerateUsingDeclaration(const TerrainLayerDeclaration&) override { return true; }
};

static double processorTime() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double now() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// plain makes a texture of one colour, ABGR.
static String plain(const String& name, uint32_t colour) {
    std::vector<uint32_t> pixels(16 * 16, colour);
    Image image;
    image.loadDynamicImage(reinterpret_cast<uchar*>(pixels.data()), 16, 16, 1, PF_BYTE_RGBA);
    TextureManager::getSingleton().loadImage(name, RGN_DEFAULT, image);
    return name;
}

// keep writes the picture, as PPM.
static void keep(RenderTarget* target, const char* path) {
    std::vector<char> pixels(1920 * 1080 * 3);
    target->copyContentsToMemory(Box(0, 0, 1920, 1080), PixelBox(1920, 1080, 1, PF_BYTE_RGB, pixels.data()));
    std::ofstream out(path, std::ios::binary);
    out << "P6 1920 1080 255\n";
    out.write(pixels.data(), std::streamsize(pixels.size()));
}

int main(int argc, char** argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: frames HEIGHTS SIZE SPACING unlit|lit\n");
        return 2;
    }
    const int size = atoi(argv[2]);
    const bool lit = !strcmp(argv[4], "lit");
    const double spacing = atof(argv[3]), half = spacing * (size - 1) / 2;
    std::vector<float> heights(size_t(size) * size);
    std::ifstream in(argv[1], std::ios::binary);
    for (int row = size; row-- > 0;) // OGRE's first row is the southern one
        in.read(reinterpret_cast<char*>(&heights[size_t(row) * size]), size * 4);
    if (!in) {
        fprintf(stderr, "%s: too short\n", argv[1]);
        return 1;
    }

    (new LogManager())->createLog(getenv("OGRE_LOG") ? getenv("OGRE_LOG") : "/dev/null", true, false, !getenv("OGRE_LOG"));
    Root* root = new Root("", "", "");
    root->loadPlugin(String(OGRE_PLUGIN_DIR) + "/RenderSystem_GL");
    root->setRenderSystem(root->getAvailableRenderers().front());
    root->initialise(false);
    NameValuePairList hidden;
    hidden["hidden"] = "true";
    root->createRenderWindow("frames", 64, 64, false, &hidden);
    ResourceGroupManager& groups = ResourceGroupManager::getSingleton();
    for (const char* media : {"ShadowVolume", "RTShaderLib/GLSL", "Terrain"})
        groups.addResourceLocation(String(OGRE_MEDIA_DIR) + "/" + media, "FileSystem", RGN_INTERNAL);
    groups.initialiseAllResourceGroups();

    SceneManager* scene = root->createSceneManager();
    Camera* camera = scene->createCamera("eye");
    SceneNode* node = scene->getRootSceneNode()->createChildSceneNode();
    node->attachObject(camera);
    camera->setNearClipDistance(1);
    camera->setFarClipDistance(1e7);
    camera->setFOVy(Radian(2 * std::atan(std::tan(Math::PI / 6) * 1080 / 1920)));
    camera->setAspectRatio(Real(1920) / 1080);
    const Vector3 down(0.66f, -0.65f, 0.75f);
    Light* sun = scene->createLight("sun");
    sun->setType(Light::LT_DIRECTIONAL);
    SceneNode* above = scene->getRootSceneNode()->createChildSceneNode();
    above->setDirection(down, Node::TS_WORLD);
    above->attachObject(sun);
    scene->setAmbientLight(ColourValue(0.3f, 0.3f, 0.3f));
    TexturePtr picture = TextureManager::getSingleton().createManual("picture", RGN_DEFAULT, TEX_TYPE_2D, 1920, 1080, 0, PF_BYTE_RGBA, TU_RENDERTARGET);
    RenderTarget* target = picture->getBuffer()->getRenderTarget();
    target->addViewport(camera)->setBackgroundColour(ColourValue(0.3f, 0.4f, 0.6f));

    TerrainGlobalOptions* options = OGRE_NEW TerrainGlobalOptions();
    options->setLightMapDirection(down.normalisedCopy());
    options->setCompositeMapDistance(1e9f); // full shading everywhere
    if (!lit) options->setDefaultMaterialGenerator(TerrainMaterialGeneratorPtr(OGRE_NEW Flat()));
    Terrain* terrain = OGRE_NEW Terrain(scene);
    Terrain::ImportData import;
    import.terrainAlign = Terrain::ALIGN_X_Z;
    import.terrainSize = uint16(size);
    import.worldSize = Real(2 * half);
    import.minBatchSize = 33;
    import.maxBatchSize = 65;
    import.inputFloat = heights.data();
    if (lit) {
        import.layerList.resize(1);
        import.layerList[0].worldSize = 1000;
        import.layerList[0].textureNames = {plain("ground colour", 0xff80a090), plain("ground normals", 0xffff8080)};
    }
    if (!terrain->prepare(import)) return 1;
    terrain->load(0, true);
    for (int i = 0; i < 5000 && terrain->isDerivedDataUpdateInProgress(); ++i) { // normal map and light map
        root->getWorkQueue()->processResponses();
        usleep(1000);
    }
    root->getWorkQueue()->processResponses();

    double x, y, z, pitch, tau;
    int frames;
    while (scanf("%lf %lf %lf %lf %lf %d", &x, &y, &z, &pitch, &tau, &frames) == 6) {
        options->setMaxPixelError(Real(tau));
        node->setPosition(Real(x - half), Real(y), Real(z - half));
        node->setOrientation(Quaternion(Degree(Real(pitch)), Vector3::UNIT_X));
        root->renderOneFrame(); // levels of detail come up to date
        root->renderOneFrame();
        glFinish();
        const double start = now(), processor = processorTime();
        for (int i = 0; i < frames; ++i) root->renderOneFrame();
        glFinish();
        const double took = now() - start, used = processorTime() - processor;
        printf("%.4f %.4f %zu %zu\n", took / frames, used / frames, size_t(target->getStatistics().triangleCount), size_t(target->getStatistics().batchCount));
        fflush(stdout);
        if (const char* path = getenv("OGRE_PICTURE")) keep(target, path);
    }
    _Exit(0);
}
